/**
 * Tests that an import of mappings continues after kills of its process, with exact counts and one log entry for each
 * failed row.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../conformance/seed.ts';
import {
  COUNT_INTERVAL_MS,
  countLoggedErrors,
  EMPTY_ROWS,
  EXISTING_ROWS,
  killDuringJob,
  query,
  tableOf,
  useAuthor,
  write,
} from './import-job.ts';
import { LONG } from './stack.ts';
import { until } from './until.ts';

const ROWS = LONG ? 20_000 : 1_500;

async function newCrosswalk(): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const type = await write('/api/reference-types', { name: `Job ${randomUUID()}`, schemas });
  const createDataSet = async () =>
    (await write('/api/reference-data', { name: `Job ${randomUUID()}`, typeId: type.id })).id as number;
  const ends = { sourceSystemId: await createDataSet(), targetSystemId: await createDataSet() };
  const attributes = { sourceAttribute: 'code', targetAttribute: 'code' };
  return (await write('/api/crosswalks', { name: 'Imported as a job', ...ends, ...attributes })).id;
}

/** Uploads a file whose rows are new, change existing ones, or have an empty source value. */
async function stageMappings(crosswalkId: number): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, index) => `s${index},t${index}`);
  const empty = Array.from({ length: EMPTY_ROWS }, (_, index) => `,nothing ${index}`);
  const form = new FormData();
  form.set('crosswalkId', String(crosswalkId));
  form.set('file', new Blob([['sourceValue,targetValue', ...rows, ...empty].join('\n')]), 'rows.csv');
  return (await write('/api/imports', form)).id;
}

describe('an import job', () => {
  useAuthor();

  it('writes each valid row once, however often its process is killed', async () => {
    const next = random(announcedSeed('imported as job'));
    const id = await newCrosswalk();
    const existing = Array.from({ length: EXISTING_ROWS }, (_, index) => ({
      sourceValue: `s${index}`,
      targetValue: 'other',
    }));
    await write(`/api/crosswalks/${id}/mappings`, { rows: existing });
    const fileId = await stageMappings(id);
    const key = randomUUID();
    const startImport = () => write(`/api/crosswalks/${id}/mappings/import`, { fileId, submit: true }, key);
    const { jobId, killsDuringJob, ended } = await killDuringJob(startImport, next);
    expect(ended).toEqual({
      status: 'DONE',
      counts: {
        total: ROWS + EMPTY_ROWS,
        created: ROWS - EXISTING_ROWS,
        changed: EXISTING_ROWS,
        unchanged: 0,
        failed: EMPTY_ROWS,
        skipped: 0,
      },
    });
    expect(await countLoggedErrors(jobId)).toEqual({ lines: EMPTY_ROWS, rows: EMPTY_ROWS });
    const table = await tableOf('crosswalks', 'crosswalk_mapping_values');
    // New rows have two versions (drafted, submitted), changed rows three. No pair exists twice, and none is missing.
    const totals = await until(async () => {
      const [rows] = await query<{ rows: number; pairs: number; right: number; revisions: number }>(
        `SELECT count(*)::int AS rows, count(DISTINCT source_value)::int AS pairs, sum(revision)::int AS revisions,
                count(*) FILTER (WHERE approval_status = 'PENDING' AND target_value = 't' || substr(source_value, 2))::int AS right
           FROM ${table} WHERE crosswalk_id = $1`,
        [id],
      );
      return rows?.right === ROWS ? rows : undefined;
    }, COUNT_INTERVAL_MS);
    expect(totals).toEqual({ rows: ROWS, pairs: ROWS, right: ROWS, revisions: 2 * ROWS + EXISTING_ROWS });
    expect(killsDuringJob).toBeGreaterThan(0);
    console.info(`${ROWS} rows imported once; ${killsDuringJob} kills during the import`);
  });
});
