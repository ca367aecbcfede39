/** Tests the parameter `include`, which adds the rows of a data set or the mappings of a crosswalk to a response. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, signInAs } from './http-client.ts';

let steward: HttpClient;
let viewer: HttpClient;
let source: number;
let crosswalkId: number;
const ROWS = [
  { code: 'de', name: null },
  { code: 'fr', name: 'France' },
];

beforeAll(async () => {
  [steward, viewer] = await Promise.all([signInAs('steward'), signInAs('viewer')]);
  const collectionId = await newCollection(steward);
  const typeId = await newType(steward);
  source = await newDataSet(steward, typeId, collectionId, ROWS.toReversed());
  crosswalkId = await newCrosswalk(steward, source, await newDataSet(steward, typeId, collectionId));
});

describe('the rows of a data set', () => {
  it('are included on request, now or as of a time', async () => {
    const path = `/api/reference-data/${source}`;
    const withIncluded = done(await steward.get(`${path}?include=extractedValues,data`));
    expect(withIncluded).toMatchObject({ instanceCount: 2, data: ROWS, extractedValues: ['de', 'fr'] });
    const { data, extractedValues, ...plain } = withIncluded;
    expect(done(await steward.get(path))).toEqual(plain);

    const [row] = done(await steward.get(`${path}/instances`)).items;
    const changed = [{ id: row.id, revision: row.revision, data: { name: 'Deutschland' } }];
    done(await steward.patch(`${path}/instances`, changed));
    const [today] = done(await steward.get(`${path}?include=data`)).data;
    expect(today.name).toBe('Deutschland');
    const [change] = done(await steward.get(`${path}/instances/${row.id}/history`)).items;
    expect(done(await steward.get(`${path}?include=data&asOf=seq:${change.seq - 1}`)).data).toEqual(ROWS);

    expect(await viewer.get(`${path}?include=data`)).toMatchObject({ status: 404, body: { error: 'Not found' } });
    expect(await steward.get(`${path}?include=mappingData`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID', error: 'There is no “mappingData” to include. Use one of: data, extractedValues' },
    });
  });
});

describe('the mappings of a crosswalk', () => {
  it('are included on request, with the comment of their submission', async () => {
    const path = `/api/crosswalks/${crosswalkId}`;
    const drafted = await draft(steward, crosswalkId, [['de', 'DEU']]);
    const plain = done(await steward.get(path));
    const mapping = { id: drafted[0]?.id, sourceValue: 'de', targetValue: 'DEU', confidence: 100, status: 'DRAFT' };
    const details = { createdAt: expect.any(String), createdBy: expect.any(Number), submissionComment: null };
    expect(done(await steward.get(`${path}?include=mappingData`))).toEqual({
      ...plain,
      mappingData: {
        sourceAttribute: 'code',
        targetAttribute: 'code',
        sourceField: plain.sourceFieldId,
        targetField: plain.targetFieldId,
        mappings: [{ ...mapping, ...details }],
      },
    });
    done(await steward.post(`${path}/mappings/submit`, { rows: drafted, comment: 'As ISO lists them' }));
    const { mappings } = done(await steward.get(`${path}?include=mappingData`)).mappingData;
    expect(mappings).toMatchObject([{ status: 'PENDING', submissionComment: 'As ISO lists them' }]);

    expect(await viewer.get(`${path}?include=mappingData`)).toMatchObject({ status: 404 });
    expect(await steward.get(`${path}?include=mappingData,mappingData`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID', error: '“mappingData” is in include twice: name it once' },
    });
  });
});
