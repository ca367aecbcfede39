/**
 * Tests an import of relationship values while its process is killed and an attribute is renamed: the counts and the
 * log are exact.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import {
  author,
  COUNT_INTERVAL_MS,
  countLoggedErrors,
  EMPTY_ROWS,
  EXISTING_ROWS,
  killDuringJob,
  query,
  tableOf,
  useAuthor,
  write,
} from '../../killed-jobs/import-job.ts';
import { LONG } from '../../killed-jobs/stack.ts';
import { until } from '../../killed-jobs/until.ts';
import { bodyOf } from '../../retrying-client.ts';

/** The number of valid values in the file. */
const VALID_VALUES = LONG ? 10_000 : 1_500;
/** The numbers of values that the import rejects. The relationship allows one target per source. */
const UNKNOWN_SOURCES = 1_200;
const INVALID_ATTRIBUTES = 700;
const SECOND_TARGETS = 300;

/** Creates a many-to-one relationship with the attribute `weight`, which is a number. */
async function newRelationship(): Promise<{ id: number; attributeId: number }> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const type = await write('/api/reference-types', { name: `Job ${randomUUID()}`, schemas });
  const createDataSet = async (size: number) => {
    const { id } = await write('/api/reference-data', { name: `Job ${randomUUID()}`, typeId: type.id });
    for (let from = 0; from < size; from += 1_000) {
      const length = Math.min(1_000, size - from);
      const rows = Array.from({ length }, (_, index) => ({ data: { code: `k${from + index}` } }));
      await write(`/api/reference-data/${id}/instances`, { rows });
    }
    return id as number;
  };
  const ends = {
    sourceDataSetId: await createDataSet(VALID_VALUES + INVALID_ATTRIBUTES),
    targetDataSetId: await createDataSet(2),
  };
  const fields = { sourceField: 'code', targetField: 'code', cardinality: 'MANY_TO_ONE' };
  const { id } = await write('/api/relationships', { name: 'Imported as a job', ...ends, ...fields });
  const { attributeId } = await write(`/api/relationships/${id}/attributes`, { name: 'weight', dataType: 'number' });
  return { id, attributeId };
}

async function stageValues(relationshipId: number): Promise<string> {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index));
  const rows = [
    ...lines(VALID_VALUES, (index) => `k${index},k0,7`),
    ...lines(EMPTY_ROWS, (index) => `,nothing ${index},7`),
    ...lines(UNKNOWN_SOURCES, (index) => `nobody ${index},k0,7`),
    ...lines(INVALID_ATTRIBUTES, (index) => `k${VALID_VALUES + index},k0,heavy`),
    ...lines(SECOND_TARGETS, (index) => `k${index},k1,7`),
  ];
  const form = new FormData();
  form.set('relationshipId', String(relationshipId));
  form.set('file', new Blob([['sourceKey,targetKey,weight', ...rows].join('\n')]), 'rows.csv');
  return (await write('/api/imports', form)).id;
}

describe('an import job', () => {
  useAuthor();

  it('relates each pair once although its process is killed and an attribute is renamed', async () => {
    const next = random(announcedSeed('values imported as job'));
    const { id, attributeId } = await newRelationship();
    const path = `/api/relationships/${id}`;
    const existing = Array.from({ length: EXISTING_ROWS }, (_, index) => ({ sourceKey: `k${index}`, targetKey: 'k0' }));
    await write(`${path}/values`, { rows: existing });
    const fileId = await stageValues(id);
    const key = randomUUID();
    const startImport = () => write(`${path}/values/import`, { fileId }, key);
    let renames = 0;
    // A rename must not matter: the job resolved the column of the file to the attribute when it started.
    const rename = async () => {
      renames += 1;
      bodyOf(await author.send('PATCH', `${path}/attributes`, { id: attributeId, name: `Renamed ${renames}` }));
    };
    const { jobId, killsDuringJob, ended } = await killDuringJob(startImport, next, rename);
    const failed = EMPTY_ROWS + UNKNOWN_SOURCES + INVALID_ATTRIBUTES + SECOND_TARGETS;
    expect(ended).toEqual({
      status: 'DONE',
      counts: {
        total: VALID_VALUES + failed,
        created: VALID_VALUES - EXISTING_ROWS,
        changed: EXISTING_ROWS,
        unchanged: 0,
        failed,
        skipped: 0,
      },
    });
    expect(await countLoggedErrors(jobId)).toEqual({ lines: failed, rows: failed });
    const table = await tableOf('relationships', 'relationship_values');
    const stored = await until(async () => {
      const [rows] = await query<{ rows: number; sources: number; right: number; revisions: number }>(
        `SELECT count(*)::int AS rows, count(DISTINCT source_instance_id)::int AS sources,
                sum(revision)::int AS revisions,
                count(*) FILTER (WHERE approval_status = 'DRAFT' AND attributes ->> $2 = '7')::int AS right
           FROM ${table} WHERE relationship_id = $1`,
        [id, String(attributeId)],
      );
      return rows?.right === VALID_VALUES ? rows : undefined;
    }, COUNT_INTERVAL_MS);
    expect(stored).toEqual({
      rows: VALID_VALUES,
      sources: VALID_VALUES,
      right: VALID_VALUES,
      revisions: VALID_VALUES + EXISTING_ROWS,
    });
    expect(killsDuringJob).toBeGreaterThan(0);
    console.info(`${VALID_VALUES} values imported once; ${killsDuringJob} kills during the import`);
  });
});
