/** Imports of code lists in FHIR and SKOS, and of Parquet files, into data sets with one row per record. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { done, endOfJob } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

const FIXTURES = new URL('../../command-api/src/file-imports/sources/fixtures/', import.meta.url);

let steward: HttpClient;
beforeAll(async () => {
  steward = await signInAs('steward');
});

async function uploadDraft(content: string | Buffer, fileName: string): Promise<Json> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(Buffer.from(content))], fileName));
  const { id } = done(await steward.post('/api/imports', form));
  return (await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state !== 'READING')).body;
}

it.each([
  [
    'fhir',
    'published/CodeSystem-publication-status.json',
    { code: 'draft', display: 'Draft', 'display (nl)': 'ontwerp' },
  ],
  ['turtle', 'published/educationalLevel.ttl', { notation: 'level_8', broader: 'level_A' }],
  ['rdfxml', 'published/application-layer-protocol.rdf', { notation: 'http-https', 'definition (en)': 'HTTP/HTTPS' }],
  ['parquet', 'parquet/polars-brotli.parquet', { code: '0002', name: 'Größe 2', price: 2.5, 'address.city': 'Wien 2' }],
])('a file in %s is imported into a data set with one row per record', async (format, fileName, row) => {
  const draft = await uploadDraft(readFileSync(new URL(fileName, FIXTURES)), fileName);
  expect(draft).toMatchObject({ state: 'READY', format, questions: [] });
  const name = uniqueName('Vocabulary');
  done(await steward.patch(`/api/imports/${draft.id}`, { target: { kind: 'newDataSet', name } }));
  const { jobId, dataSetId } = done(await steward.post(`/api/imports/${draft.id}/start`, { description: name }));
  expect(await endOfJob(steward, jobId)).toMatchObject({ counts: { created: draft.records, failed: 0 } });
  const { body } = await steward.eventually(
    `/api/reference-data/${dataSetId}/instances?pageSize=100`,
    (answer) => answer.body.total === draft.records,
  );
  expect(body.items.map(({ data }: Json) => data)).toContainEqual(expect.objectContaining(row));
});

it('the place of a problem in a FHIR code list is the number of its concept', async () => {
  const concept = [{ code: 'A' }, { code: 'B', concept: [{ code: 'A', display: 'again' }] }];
  const { id } = await uploadDraft(JSON.stringify({ resourceType: 'CodeSystem', concept }), 'codes.json');
  done(
    await steward.patch(`/api/imports/${id}`, { target: { kind: 'newDataSet', name: uniqueName('Codes') }, key: [0] }),
  );
  done(await steward.post(`/api/imports/${id}/validate`));
  const { body } = await steward.eventually(`/api/imports/${id}`, (answer) => answer.body.check?.status === 'DONE');
  expect(body.check).toMatchObject({ counts: { new: 2, invalid: 1 } });
  expect(body.check.rows.invalid).toMatchObject([{ record: 3, place: 'concept 3' }]);
});

it('a ConceptMap is refused, and the message names the page that imports ConceptMaps', async () => {
  const draft = await uploadDraft(JSON.stringify({ resourceType: 'ConceptMap', group: [] }), 'map.json');
  expect(draft).toMatchObject({ state: 'REFUSED', refusal: expect.stringContaining('open the crosswalk') });
});
