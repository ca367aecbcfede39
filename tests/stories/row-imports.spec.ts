/** Imports of mappings and relationship values: a job with results for each row, cancellation and undo. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, endOfJob, newCrosswalk, uploadRows } from './fixtures.ts';
import { type Json, uniqueName } from './http-client.ts';
import {
  approver,
  createPairDataSets,
  prepareRowImports,
  requireImportedRowsKept,
  requireUndoAsBatch,
  source,
  startImport,
  steward,
  target,
  viewer,
  waitForCounts,
} from './row-imports.ts';

prepareRowImports();

async function downloadRejected(jobId: number): Promise<string> {
  return (await steward.download(`/api/imports/${jobId}/errors`)).text();
}

describe('an import of mappings', () => {
  it('runs as one job per Idempotency-Key, with counts and a correction hint for each refused row', async () => {
    const id = await newCrosswalk(steward, source, target);
    const path = `/api/crosswalks/${id}/mappings`;
    const content = 'sourceValue,targetValue,confidence\nA,B,90\nA,B,80\n,C,\nB,C,much\nC,=1+1,50\n';
    const fileId = await uploadRows(steward, { crosswalkId: id }, content);
    const key = 'import of rows, once';
    const response = done(await steward.post(`${path}/import`, { fileId, description: 'Of a supplier' }, { key }));
    expect(done(await steward.post(`${path}/import`, { fileId, description: 'Of a supplier' }, { key }))).toEqual(
      response,
    );
    expect(await endOfJob(steward, response.jobId)).toMatchObject({
      jobType: 'CROSSWALK_MAPPINGS_IMPORT',
      jobLevel: 'STANDALONE',
      status: 'DONE',
      progress: 100,
      description: 'Of a supplier',
      dataSetId: source,
      counts: { total: 5, created: 2, changed: 0, unchanged: 0, failed: 3, skipped: 0 },
    });
    const { items } = done(await steward.get(`/api/jobs/${response.jobId}/logs?status=ERROR&sort=recordIndex`));
    expect(items.map((log: Json) => [log.recordIndex, log.recordKey, log.errorMessage])).toEqual([
      [3, 'A → B', 'Line 2 already contains this pair'],
      [4, ' → C', 'sourceValue: The source value is missing'],
      [5, 'B → C', 'confidence: The confidence is not a number from 0 to 100'],
    ]);
    expect(items[2]).toMatchObject({
      recordData: { sourceValue: 'B', targetValue: 'C' },
      errorDetails: [{ column: 'confidence', value: 'much', fix: expect.stringMatching(/^Write a number/) }],
    });
    // The last log line is written after the event that ends the job.
    const logs = `/api/jobs/${response.jobId}/logs?sort=id&order=DESC`;
    await steward.eventually(
      logs,
      ({ body }) => body.items[0].message === '2 created, 0 changed, 0 unchanged, 3 refused',
    );
    expect((await downloadRejected(response.jobId)).split('\r\n')).toEqual([
      'rdm:reason,sourceValue,targetValue,confidence',
      '"Line 3: Line 2 already contains this pair. Delete one of the two lines.",A,B,80',
      '"Line 4: sourceValue: The source value is missing. Fill in the source value, or delete this line from the file.",,C,',
      '"Line 5: confidence: The confidence is not a number from 0 to 100. Write a number such as 87.5, or omit it: the confidence is then 100.",B,C,much',
      '',
    ]);
    await waitForCounts(id, { draft: 2 });
    // Another import of the file changes no row. A job that has ended cannot be retried or cancelled.
    const secondImport = done(await steward.post(`${path}/import`, { fileId }));
    expect((await endOfJob(steward, secondImport.jobId)).counts).toMatchObject({ created: 0, unchanged: 2, failed: 3 });
    expect((await steward.post(`/api/jobs/${response.jobId}/retry`)).body.error).toMatch(/^Import the file again/);
    expect((await steward.post(`/api/jobs/${response.jobId}/cancel`)).status).toBe(409);
  });

  it('refuses the approval of imported rows by the user who imported them', async () => {
    const id = await newCrosswalk(steward, source, target);
    const path = `/api/crosswalks/${id}/mappings`;
    const { jobId } = await startImport(path, { crosswalkId: id }, 'A,B\n', { submit: true }, approver);
    expect((await endOfJob(approver, jobId)).status).toBe('DONE');
    const { body } = await approver.eventually(`${path}?tab=pending`, (answer) => answer.body.total === 1);
    const rows = body.items.map(({ id: row, revision }: Json) => ({ id: row, revision }));
    const ownDecision = done(await approver.post(`${path}/approve`, { rows }));
    expect(ownDecision.results).toMatchObject([{ outcome: 'refused', code: 'FOUR_EYES' }]);
    expect(done(await steward.post(`${path}/approve`, { rows }))).toMatchObject({ done: 1 });
  });

  it.each([true])('is undone as a batch, except for rows that were changed later; submitted: %s', requireUndoAsBatch);
});

describe('an import of relationship values', () => {
  const relationshipEnds = () => ({
    sourceDataSetId: source,
    targetDataSetId: target,
    sourceField: 'code',
    targetField: 'code',
  });

  /** Creates a relationship with a required date, `since`, and a number, `share`. */
  async function newRelationship(cardinality: string): Promise<{ id: number; path: string }> {
    const { id } = done(
      await steward.post('/api/relationships', { name: uniqueName('Imported'), cardinality, ...relationshipEnds() }),
    );
    const attributes = `/api/relationships/${id}/attributes`;
    done(await steward.post(attributes, { name: 'since', dataType: 'date', isRequired: true }));
    done(await steward.post(attributes, { name: 'share', dataType: 'number' }));
    return { id, path: `/api/relationships/${id}/values` };
  }

  const waitForValueCounts = (path: string, expected: Json) =>
    steward.eventually(`${path}/counts`, ({ body }) =>
      Object.entries(expected).every(([tab, count]) => body[tab] === count),
    );
  const listValues = async (path: string): Promise<unknown[]> =>
    done(await steward.get(`${path}?sort=sourceKey`)).items.map((row: Json) => [
      `${row.sourceKey} → ${row.targetKey}`,
      row.attributes,
    ]);

  const CONTENT = [
    'sourceKey,targetKey,since,share,colour',
    'A,B,2020-01-31,0.5,red',
    'A,C,2020-01-31,,',
    'B,B,31.1.2020,half,',
    'C,B,,,',
    'X,B,2020-01-31,,',
    ',B,2020-01-31,,',
    'A,B,2021-01-31,,',
    '',
  ].join('\n');

  it('has a preview, runs as a job, and returns a reason for each refused row', async () => {
    const { id, path } = await newRelationship('MANY_TO_ONE');
    const fileId = await uploadRows(steward, { relationshipId: id }, CONTENT);
    const preview = done(await steward.post(`${path}/import-preview`, { fileId }));
    expect(preview).toMatchObject({
      format: 'csv',
      isNamed: true,
      uses: { source: 'sourceKey', target: 'targetKey', attributes: { since: 'since', share: 'share' } },
      counts: { new: 1, changed: 0, unchanged: 0, invalid: 6 },
      remarks: [{ text: 'Columns that are not read: colour' }],
    });
    expect(preview.columns).toContainEqual({ name: 'colour', example: 'red' });
    const expectedRejections = [
      [3, 'A → C', 'Cardinality violation: “A → C” conflicts with “A → B” in a many-to-one relationship'],
      [4, 'B → B', 'since: "31.1.2020" is not a date: use YYYY-MM-DD; share: "half" is not a number'],
      [5, 'C → B', 'The attribute "since" is required'],
      [6, 'X → B', expect.stringMatching(/^sourceKey: “.*” has no row “X”$/)],
      [7, ' → B', 'sourceKey: The source key is missing'],
      [8, 'A → B', 'Line 2 already contains this pair'],
    ];
    const { jobId } = done(await steward.post(`${path}/import`, { fileId }));
    expect(await endOfJob(steward, jobId)).toMatchObject({
      jobType: 'RELATIONSHIP_VALUES_IMPORT',
      status: 'DONE',
      dataSetId: source,
      counts: { total: 7, created: 1, changed: 0, unchanged: 0, failed: 6, skipped: 0 },
    });
    const { items } = done(await steward.get(`/api/jobs/${jobId}/logs?status=ERROR&sort=recordIndex`));
    expect(items.map((log: Json) => [log.recordIndex, log.recordKey, log.errorMessage])).toEqual(expectedRejections);
    expect((await downloadRejected(jobId)).split('\r\n').slice(0, 2)).toEqual([
      'rdm:reason,sourceKey,targetKey,since,share,colour',
      expect.stringMatching(/^"Line 3: Cardinality violation: .*",A,C,2020-01-31,,$/),
    ]);
    const wrong = preview.rows.filter(({ outcome }: Json) => outcome === 'invalid');
    expect(wrong.map(({ row }: Json) => row)).toEqual(expectedRejections.map(([line]) => line));
    await waitForValueCounts(path, { draft: 1 });
    expect(await listValues(path)).toEqual([['A → B', { since: '2020-01-31', share: 0.5 }]]);
    // Another import of the file changes no row.
    const secondImport = done(await steward.post(`${path}/import`, { fileId }));
    expect((await endOfJob(steward, secondImport.jobId)).counts).toMatchObject({ created: 0, unchanged: 1, failed: 6 });
  });

  it('reads the requested columns or JSON, and changes existing pairs', async () => {
    const { id, path } = await newRelationship('MANY_TO_MANY');
    const uploadTarget = { relationshipId: id };
    const columns = { source: 'Column 2', target: 'Column 1', attributes: { since: 'Column 3' } };
    const first = await startImport(path, uploadTarget, 'B,A,2020-01-31\nC,A,2020-01-31\n', {
      isNamed: false,
      columns,
    });
    expect((await endOfJob(steward, first.jobId)).counts).toMatchObject({ created: 2, failed: 0 });
    const rows = [
      { sourceKey: 'A', targetKey: 'B', attributes: { share: 0.25 } },
      { sourceKey: 'B', targetKey: 'C', attributes: { since: '2021-01-31' } },
    ];
    const second = await startImport(path, uploadTarget, JSON.stringify(rows), { submit: true });
    expect((await endOfJob(steward, second.jobId)).counts).toMatchObject({ created: 1, changed: 1, failed: 0 });
    await waitForValueCounts(path, { draft: 1, pending: 2 });
    expect(await listValues(path)).toEqual([
      ['A → B', { since: '2020-01-31', share: 0.25 }],
      ['A → C', { since: '2020-01-31', share: null }],
      ['B → C', { since: '2021-01-31', share: null }],
    ]);
    const unknown = { ...columns, source: 'nowhere' };
    const refused = await steward.post(`${path}/import-preview`, { fileId: first.fileId, columns: unknown });
    expect(refused).toMatchObject({ status: 400, body: { error: 'The file has no column “nowhere”' } });
  });

  it('does not lock the cardinality of the relationship if no row of the file is valid', async () => {
    const { id, path } = await newRelationship('MANY_TO_ONE');
    const { jobId } = await startImport(path, { relationshipId: id }, 'sourceKey,targetKey,since\nA,B,soon\nX,B,\n');
    expect((await endOfJob(steward, jobId)).counts).toMatchObject({ created: 0, failed: 2 });
    // The cardinality is locked if `hasValues` is true.
    expect(done(await steward.get(`/api/relationships/${id}`)).hasValues).toBe(false);
  });

  it('is undone as a batch, except for values decided later', async () => {
    const { id, path } = await newRelationship('MANY_TO_MANY');
    const uploadTarget = { relationshipId: id };
    const before = await startImport(path, uploadTarget, 'sourceKey,targetKey,since\nA,A,2020-01-31\nB,B,2020-01-31\n');
    await endOfJob(steward, before.jobId);
    const content = 'sourceKey,targetKey,since\nA,A,2022-01-31\nB,B,2022-01-31\nC,C,2022-01-31\n';
    const { jobId, commandId, fileId } = await startImport(path, uploadTarget, content, { submit: true });
    expect((await endOfJob(steward, jobId)).counts).toMatchObject({ created: 1, changed: 2 });
    // Another user cannot import the file.
    expect((await approver.post(`${path}/import`, { fileId })).status).toBe(404);
    await waitForValueCounts(path, { pending: 3 });
    const { items } = done(await steward.get(`${path}?sort=sourceKey`));
    const [{ id: first, revision }] = items;
    done(await approver.post(`${path}/reject`, { rows: [{ id: first, revision }], comment: 'Wrong' }));
    await steward.eventually(`/api/batches/${commandId}`, ({ body }) => body.undo?.laterCount === 1);
    expect((await viewer.post(`/api/batches/${commandId}/undo`)).status).toBe(403);
    const undone = done(await steward.post(`/api/batches/${commandId}/undo`));
    expect(undone.results.filter((row: Json) => row.outcome === 'refused')).toMatchObject([
      { id: first, code: 'LATER' },
    ]);
    await waitForValueCounts(path, { draft: 1, pending: 0, rejected: 1 });
    expect(await listValues(path)).toEqual([
      ['A → A', { since: '2022-01-31', share: null }],
      ['B → B', { since: '2020-01-31', share: null }],
    ]);
  });
});

describe('an import that is cancelled', () => {
  beforeAll(createPairDataSets);

  it.each(['mappings'])('stops at its next piece, and keeps the imported rows: %s', requireImportedRowsKept, 180_000);
});
