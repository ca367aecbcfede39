/** Tests that composed and decomposed Unicode forms are the same value in data sets and crosswalks. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType, rowsOf, uploadRows } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

const COMPOSED = 'caf\u00e9';
const DECOMPOSED = 'cafe\u0301';
const UNMAPPED = { composed: 'th\u00e9', decomposed: 'the\u0301' };

let steward: HttpClient;
let approver: HttpClient;
let source: number;
let target: number;

beforeAll(async () => {
  [steward, approver] = await Promise.all([signInAs('steward'), signInAs('approver')]);
  const collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  source = await newDataSet(steward, typeId, collectionId, [
    { code: DECOMPOSED, name: 'Coffee' },
    { code: UNMAPPED.decomposed, name: 'Tea' },
  ]);
  target = await newDataSet(steward, typeId, collectionId, [
    { code: DECOMPOSED, name: 'Drink of beans' },
    { code: UNMAPPED.decomposed, name: 'Drink of leaves' },
  ]);
});

/** Creates an approved crosswalk whose mapping was drafted with decomposed values. */
async function newApprovedCrosswalk(): Promise<number> {
  const id = await newCrosswalk(steward, source, target);
  const path = `/api/crosswalks/${id}`;
  const drafted = await draft(steward, id, [[DECOMPOSED, DECOMPOSED]]);
  const rows = rowsOf(done(await steward.post(`${path}/mappings/submit`, { rows: drafted })));
  done(await approver.post(`${path}/approve`));
  done(await approver.post(`${path}/mappings/approve`, { rows }));
  done(await approver.get(`${path}/translate?value=x`));
  return id;
}

const translate = async (id: number, query: string): Promise<Json> =>
  done(await approver.get(`/api/crosswalks/${id}/translate?${query}`));

describe('a value in two Unicode forms', () => {
  it('has one translation, and is returned in the form of the request', async () => {
    const id = await newApprovedCrosswalk();
    // Not `approvedAt`: an earlier event can have a later time, and then the approval applies from that time.
    const now = new Date().toISOString();
    for (const value of [COMPOSED, DECOMPOSED]) {
      for (const parameters of ['', '&reverse=true', `&asOf=${encodeURIComponent(now)}`]) {
        const answer = await translate(id, `value=${encodeURIComponent(value)}${parameters}`);
        expect(answer, parameters).toMatchObject({ value, results: [{ targetValue: COMPOSED }] });
      }
    }
    const values = [DECOMPOSED, 'x', COMPOSED];
    const translated = done(await approver.post(`/api/crosswalks/${id}/translate`, { values }));
    expect(translated.map(({ value, results }: Json) => [value, results.length])).toEqual([
      [DECOMPOSED, 1],
      ['x', 0],
      [COMPOSED, 1],
    ]);
  });

  it('is one source value, so that duplicate pairs are refused', async () => {
    const id = await newCrosswalk(steward, source, target);
    const path = `/api/crosswalks/${id}/mappings`;
    const [, row] = await draft(steward, id, [
      [DECOMPOSED, COMPOSED],
      [COMPOSED, 'other'],
    ]);
    const duplicate = await steward.post(path, { sourceValue: COMPOSED, targetValue: DECOMPOSED });
    expect(duplicate).toMatchObject({ status: 409, body: { details: { code: 'DUPLICATE' } } });
    const edited = done(await steward.patch(path, { rows: [{ ...row, targetValue: DECOMPOSED }] }));
    expect(edited.results).toMatchObject([{ outcome: 'refused', code: 'DUPLICATE' }]);
  });

  it('matches the rows of the data sets in lists, labels, checks and references', async () => {
    const id = await newApprovedCrosswalk();
    const path = `/api/crosswalks/${id}`;
    const [mapping] = done(await approver.get(`${path}/mappings`)).items;
    expect(mapping).toMatchObject({
      sourceValue: COMPOSED,
      targetValue: COMPOSED,
      sourceLabel: 'Coffee',
      targetLabel: 'Drink of beans',
    });
    const unmapped = done(await approver.get(`${path}/mappings?tab=unmapped`));
    expect(unmapped.items).toMatchObject([{ sourceValue: UNMAPPED.composed, sourceLabel: 'Tea' }]);
    expect(done(await approver.get(path)).mappedPercent).toBe(50);
    expect(done(await approver.get(`${path}/statistics`))).toMatchObject({ brokenSources: 0, brokenTargets: 0 });
    const broken = done(await approver.get(`/api/reference-data/${source}/integrity`)).items;
    expect(broken.filter(({ parentId }: Json) => parentId === id)).toEqual([]);
    const rows = done(await approver.get(`/api/reference-data/${source}/instances`)).items;
    const row = rows.find(({ data }: Json) => data.name === 'Coffee');
    const { mappings } = done(await approver.get(`/api/reference-data/${source}/instances/${row.id}/references`));
    expect(mappings.map((each: Json) => each.crosswalkId)).toContain(id);
  });

  it('is one value in suggestions and in the preview of an import', async () => {
    const id = await newApprovedCrosswalk();
    const path = `/api/crosswalks/${id}`;
    const suggested = done(await approver.get(`${path}/suggestions`));
    expect(suggested.items).toMatchObject([
      {
        sourceValue: UNMAPPED.composed,
        candidates: [{ targetValue: UNMAPPED.composed, targetLabel: 'Drink of leaves' }],
      },
    ]);
    const content = JSON.stringify([{ sourceValue: DECOMPOSED, targetValue: DECOMPOSED }]);
    const fileId = await uploadRows(steward, { crosswalkId: id }, content);
    const preview = done(await steward.post(`${path}/mappings/import-preview`, { fileId }));
    expect(preview).toMatchObject({ rows: [{ outcome: 'unchanged' }], remarks: [] });
  });

  it('is one missing mapping with one count', async () => {
    const id = await newApprovedCrosswalk();
    for (const value of ['nai\u0308f', 'na\u00eff']) await translate(id, `value=${encodeURIComponent(value)}`);
    const listed = await steward.eventually(`/api/missing-mappings?crosswalkId=${id}&q=na`, ({ body }) =>
      body.items.some((item: Json) => item.requestCount === 2),
    );
    expect(listed.body.items).toMatchObject([{ sourceValue: 'na\u00eff' }]);
    const response = await steward.post('/api/missing-mappings', { crosswalkId: id, sourceValue: 'nai\u0308f' });
    expect(response).toMatchObject({ status: 201, body: { id: listed.body.items[0].id } });
  });
});
