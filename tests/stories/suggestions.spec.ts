/** Suggestions: users dismiss and restore pairs, and choose the label fields that are compared. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, newCollection, newCrosswalk, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let steward: HttpClient;
let viewer: HttpClient;
let admin: HttpClient;
let stewardId: number;
let source: number;
let target: number;

beforeAll(async () => {
  [steward, viewer, admin] = await Promise.all([signInAs('steward'), signInAs('viewer'), signInAs('admin')]);
  stewardId = done(await steward.get('/api/user')).id;
  const collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  source = await newDataSet(steward, typeId, collectionId, [
    { code: 'de', name: 'Germany' },
    { code: 'fr', name: 'France' },
    { code: 'cg', name: 'Congo' },
  ]);
  target = await newDataSet(steward, typeId, collectionId, [
    { code: 'DEU', name: 'Germany' },
    { code: 'FRA', name: 'France' },
    { code: 'COG', name: 'Congo' },
    { code: 'COD', name: 'Congo' },
  ]);
});

const pair = (sourceValue: string, targetValue: string) => ({ sourceValue, targetValue });
const dismiss = async (id: number, ...rows: object[]): Promise<Json[]> =>
  done(await steward.post(`/api/crosswalks/${id}/suggestions/dismiss`, { rows })).results;
/** Returns each unmapped source value with its candidates. */
const readCandidates = async (id: number): Promise<Record<string, string[]>> => {
  const { items } = done(await steward.get(`/api/crosswalks/${id}/suggestions`));
  return Object.fromEntries(
    items.map((item: Json) => [item.sourceValue, item.candidates.map((each: Json) => each.targetValue)]),
  );
};
const readTab = async (id: number, name: string): Promise<Json> =>
  done(await steward.get(`/api/crosswalks/${id}/mappings?tab=${name}`));
const readSuggested = async (id: number): Promise<string[]> =>
  (await readTab(id, 'suggested')).items.map((row: Json) => `${row.sourceValue} → ${row.targetValue}`);

describe('a dismissed suggestion', () => {
  it('is replaced by the next suggestion until the dismissed suggestion is restored', async () => {
    const id = await newCrosswalk(steward, source, target);
    expect(await readSuggested(id)).toEqual(['cg → COD', 'de → DEU', 'fr → FRA']);

    const [first] = await dismiss(id, pair('cg', 'COD'));
    expect(first).toMatchObject({ outcome: 'done', index: 0 });
    expect(await readCandidates(id)).toMatchObject({ cg: ['COG'], de: expect.arrayContaining(['DEU']) });
    expect(await readSuggested(id)).toContain('cg → COG');
    // Without the dismissed suggestion, the next one is the only candidate, so its confidence is high.
    const confident = done(await steward.get(`/api/crosswalks/${id}/suggestions?minConfidence=90`));
    expect(confident.items.map(({ sourceValue }: Json) => sourceValue)).toContain('cg');

    await dismiss(id, pair('cg', 'COG'));
    expect(await readSuggested(id)).toEqual(['de → DEU', 'fr → FRA']);
    const counts = done(await steward.get(`/api/crosswalks/${id}/mappings/counts`));
    expect(counts).toMatchObject({ unmapped: 3, suggested: 2, dismissed: 2 });

    const { items } = await readTab(id, 'dismissed');
    expect(items).toMatchObject([
      { sourceValue: 'cg', targetValue: 'COG', targetLabel: 'Congo', updatedBy: stewardId },
      { sourceValue: 'cg', targetValue: 'COD', sourceLabel: 'Congo', updatedAt: expect.any(String) },
    ]);
    const restored = done(
      await steward.post(`/api/crosswalks/${id}/suggestions/restore`, { ids: items.map((row: Json) => row.id) }),
    );
    expect(restored).toMatchObject({ done: 2, refused: 0 });
    expect(await readSuggested(id)).toEqual(['cg → COD', 'de → DEU', 'fr → FRA']);
    expect((await readTab(id, 'dismissed')).total).toBe(0);
  });

  it('cannot be accepted from an outdated list, but can be mapped by hand', async () => {
    const id = await newCrosswalk(steward, source, target);
    await dismiss(id, pair('de', 'DEU'));
    const accepted = ['de', 'fr'].map((sourceValue) => ({
      ...pair(sourceValue, sourceValue === 'de' ? 'DEU' : 'FRA'),
      confidence: 90,
      origin: 'SUGGESTION',
    }));
    const { results } = done(await steward.post(`/api/crosswalks/${id}/mappings`, { rows: accepted }));
    expect(results).toMatchObject([
      { outcome: 'refused', code: 'DISMISSED', message: 'This suggestion was dismissed', changedBy: stewardId },
      { outcome: 'done' },
    ]);
    done(await steward.post(`/api/crosswalks/${id}/mappings`, pair('de', 'DEU')));
    // A mapped pair is no longer a suggestion.
    expect(await dismiss(id, pair('fr', 'FRA'))).toMatchObject([{ outcome: 'refused', code: 'DUPLICATE' }]);
  });

  it('is not suggested for a missing mapping', async () => {
    const id = await newCrosswalk(steward, source, target);
    done(await steward.post('/api/missing-mappings', { crosswalkId: id, sourceValue: 'fr' }));
    const readBest = async () => {
      const { items } = done(await steward.get(`/api/missing-mappings?crosswalkId=${id}&include=suggestion`));
      return items.map((row: Json) => row.suggestion?.targetValue ?? null);
    };
    expect(await readBest()).toEqual(['FRA']);
    await dismiss(id, pair('fr', 'FRA'));
    expect(await readBest()).not.toContain('FRA');
  });

  it('has an entry in the audit log, and is not listed as of a time before the dismissal', async () => {
    const id = await newCrosswalk(steward, source, target);
    const before = new Date().toISOString();
    const [first] = await dismiss(id, pair('de', 'DEU'));
    const logged = await admin.eventually(
      `/api/audit-logs?kind=crosswalk&sort=seq&order=DESC&pageSize=50`,
      ({ body }) => body.items.some((row: Json) => row.action === 'SuggestionsDismissed' && row.entityId === id),
    );
    const row = logged.body.items.find((each: Json) => each.action === 'SuggestionsDismissed' && each.entityId === id);
    expect(row).toMatchObject({
      userId: stewardId,
      recordIds: [first?.id],
      changeSummary: 'Suggestions dismissed: 1 row',
    });
    const past = done(await steward.get(`/api/crosswalks/${id}/mappings?tab=dismissed&asOf=${before}`));
    expect(past.total).toBe(0);
  });

  it('is dismissed only in its crosswalk, and only by users with WRITE', async () => {
    const [one, other] = [await newCrosswalk(steward, source, target), await newCrosswalk(steward, source, target)];
    await dismiss(one, pair('de', 'DEU'));
    expect(await readSuggested(other)).toContain('de → DEU');
    const refused = await viewer.post(`/api/crosswalks/${one}/suggestions/dismiss`, { rows: [pair('fr', 'FRA')] });
    expect(refused.status).toBe(403);
    const hiddenCollectionId = await newCollection(admin);
    const typeId = await newType(admin);
    const newHiddenDataSet = () => newDataSet(admin, typeId, hiddenCollectionId, []);
    const hiddenId = await newCrosswalk(admin, await newHiddenDataSet(), await newHiddenDataSet());
    const notFound = await steward.post(`/api/crosswalks/${hiddenId}/suggestions/dismiss`, { rows: [pair('a', 'b')] });
    expect(notFound.status).toBe(404);
  });
});

describe('the label field of a data set', () => {
  it('is compared for suggestions, and can be changed for a data set or for one crosswalk', async () => {
    const collectionId = await newCollection(steward);
    const field = (name: string, isPrimaryKey = false) => ({ name, dataType: 'string', isPrimaryKey });
    const schemas = [field('Id', true), field('Part1'), field('Ref_Name')];
    const type = done(await steward.post('/api/reference-types', { name: uniqueName('Languages'), schemas }));
    const languages = await newDataSet(steward, type.id, collectionId, [
      { Id: 'deu', Part1: 'de', Ref_Name: 'German' },
      { Id: 'fra', Part1: 'fr', Ref_Name: 'French' },
    ]);
    const named = await newDataSet(steward, await newType(steward), collectionId, [
      { code: 'L1', name: 'German' },
      { code: 'L2', name: 'French' },
    ]);
    const ends = { sourceSystemId: languages, targetSystemId: named, sourceAttribute: 'Id', targetAttribute: 'code' };
    const { id } = done(await steward.post('/api/crosswalks', { name: uniqueName('Crosswalk'), ...ends }));
    expect(done(await steward.get(`/api/crosswalks/${id}`))).toMatchObject({
      sourceLabelField: 'Ref_Name',
      targetLabelField: 'name',
    });
    expect(await readSuggested(id)).toEqual(['deu → L1', 'fra → L2']);

    const path = `/api/reference-data/${languages}`;
    const { revision } = done(await steward.get(path));
    done(await steward.patch(path, { labelField: 'Part1' }, { ifMatch: revision }));
    expect(done(await steward.get(path))).toMatchObject({ labelField: 'Part1', chosenLabelField: 'Part1' });
    expect(done(await steward.get(`/api/crosswalks/${id}`)).sourceLabelField).toBe('Part1');
    const unmapped = (await readTab(id, 'unmapped')).items;
    expect(unmapped.map((row: Json) => [row.sourceValue, row.sourceLabel])).toEqual([
      ['deu', 'de'],
      ['fra', 'fr'],
    ]);
    expect((await steward.patch(path, { labelField: 'Part9' })).status).toBe(400);

    // A crosswalk can choose another field and reset the choice. In its reverse, each data set keeps its field.
    const crosswalk = `/api/crosswalks/${id}`;
    done(await steward.patch(crosswalk, { sourceLabelField: 'Ref_Name' }));
    const chosenFields = {
      sourceLabelField: 'Ref_Name',
      chosenSourceLabelField: 'Ref_Name',
      chosenTargetLabelField: null,
    };
    expect(done(await steward.get(crosswalk))).toMatchObject(chosenFields);
    expect(await readSuggested(id)).toEqual(['deu → L1', 'fra → L2']);
    const reversed = done(await steward.post(`${crosswalk}/reverse`, { name: uniqueName('Reverse') }));
    expect(done(await steward.get(`/api/crosswalks/${reversed.id}`))).toMatchObject({
      chosenSourceLabelField: null,
      targetLabelField: 'Ref_Name',
    });
    const refused = await steward.patch(crosswalk, { targetLabelField: 'Ref_Name' });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('choose one of code, name') },
    });
    const preview = new URLSearchParams({ ...ends, sourceSystemId: `${languages}`, targetSystemId: `${named}` });
    const readPreview = async () => done(await steward.get(`/api/crosswalks/suggestions-preview?${preview}`)).suggested;
    expect(await readPreview()).toBe(0);
    preview.set('sourceLabelField', 'Ref_Name');
    expect(await readPreview()).toBe(2);
    done(await steward.patch(crosswalk, { sourceLabelField: null }));
    expect(done(await steward.get(crosswalk)).sourceLabelField).toBe('Part1');
    const { items } = done(await steward.get(`${crosswalk}/history`));
    expect(items.map((entry: Json) => entry.definition.chosenSourceLabelField)).toEqual([null, 'Ref_Name', null]);

    done(await steward.patch(path, { labelField: null }));
    expect(done(await steward.get(path))).toMatchObject({ labelField: 'Ref_Name', chosenLabelField: null });
  });
});
