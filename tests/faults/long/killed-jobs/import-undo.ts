/**
 * Tests the undo of an import while processes of the product are killed: the rows end as after an undisturbed undo, and
 * the counts of the job and the list of skipped rows are exact.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import { LONG, PASSWORD, stack } from '../../killed-jobs/stack.ts';
import { until } from '../../killed-jobs/until.ts';
import { bodyOf, RetryingClient } from '../../retrying-client.ts';
import { KILLABLE_PROCESSES, type KillableProcess, killProcess, killsText, RetryingPool } from './random-processes.ts';

const ROWS = LONG ? 100_000 : 3_000;
/** Number of existing rows that the import changes. */
const EXISTING = 1_000;
/** Number of rows that a user edits after the import, so that the undo skips them. */
const EDITED = 3;
const KILLS = LONG ? 30 : 2;

let pool: RetryingPool;
let author: RetryingClient;

const send = async (method: string, path: string, body?: unknown, key?: string) =>
  bodyOf(await author.send(method, path, body, key));
const write = (path: string, body: unknown = {}, key?: string) => send('POST', path, body, key);

const query = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  pool.query<Row>(text, values);

async function instancesTable(): Promise<string> {
  const [serving] = await query<{ schema_name: string }>(
    `SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`,
  );
  return `${serving?.schema_name}.instances`;
}

const codeOf = (index: number) => `c${String(index).padStart(6, '0')}`;

const waitForEnd = (jobId: number) =>
  until(async () => {
    const [job] = await query<{ status: string; counts: Record<string, number> }>(
      'SELECT status, counts FROM jobs.progress WHERE job_id = $1 AND ended_at IS NOT NULL',
      [jobId],
    );
    return job;
  });

/** Waits until the revisions of the rows in the read models add up to `changes`. A change raises a revision by one. */
const waitForChanges = (dataSetId: number, changes: number) =>
  until(async () => {
    const [found] = await query<{ changes: number }>(
      `SELECT coalesce(sum(revision), 0)::int AS changes FROM ${await instancesTable()} WHERE data_set_id = $1`,
      [dataSetId],
    );
    return found?.changes === changes ? true : undefined;
  }, 200);

/** Imports a file into a new data set with `EXISTING` rows, and then edits `EDITED` rows. */
async function importAndEdit(): Promise<{ dataSetId: number; jobId: number }> {
  const schemas = [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'name', dataType: 'string' },
  ];
  const { id: typeId } = await write('/api/reference-types', { name: `Undone ${randomUUID()}`, schemas });
  const { id: dataSetId } = await write('/api/reference-data', { name: `Undone ${randomUUID()}`, typeId });
  const existing = Array.from({ length: EXISTING }, (_, index) => ({ data: { code: codeOf(index), name: 'Old' } }));
  const path = `/api/reference-data/${dataSetId}/instances`;
  await write(path, { rows: existing });
  const form = new FormData();
  form.set('dataSetId', String(dataSetId));
  const lines = Array.from({ length: ROWS }, (_, index) => `${codeOf(index)},New`);
  form.set('file', new Blob([`code,name\n${lines.join('\n')}\n`]), 'rows.csv');
  const { id } = await write('/api/imports', form);
  const { jobId } = await write(`/api/imports/${id}/start`, { description: 'Undone', mode: 'upsert' });
  expect(await waitForEnd(jobId)).toMatchObject({
    status: 'DONE',
    counts: { created: ROWS - EXISTING, changed: EXISTING },
  });
  await waitForChanges(dataSetId, ROWS + EXISTING);
  const edited = await query<{ id: number; revision: number }>(
    `SELECT id::int, revision FROM ${await instancesTable()} WHERE data_set_id = $1 ORDER BY key LIMIT $2`,
    [dataSetId, EDITED],
  );
  await send(
    'PATCH',
    path,
    edited.map((row) => ({ ...row, data: { name: 'Edited' } })),
  );
  await waitForChanges(dataSetId, ROWS + EXISTING + EDITED);
  return { dataSetId, jobId };
}

/** Waits until the read models contain the undo; returns a checksum of the rows with their revisions. */
async function checksumOf(dataSetId: number): Promise<string | undefined> {
  await waitForChanges(dataSetId, ROWS + EXISTING + EDITED + ROWS - EDITED);
  const [found] = await query<{ checksum: string }>(
    `SELECT count(*) FILTER (WHERE NOT deleted) || ' rows, ' ||
       md5(string_agg(concat_ws('|', key, deleted, revision, data), ',' ORDER BY key)) AS checksum
       FROM ${await instancesTable()} WHERE data_set_id = $1`,
    [dataSetId],
  );
  return found?.checksum;
}

/** Undoes the import; `disturb` runs at the same time as the job. */
async function undo(importJobId: number, disturb: (jobId: number, resend: () => Promise<unknown>) => Promise<void>) {
  const key = randomUUID();
  const resend = () => write(`/api/jobs/${importJobId}/undo`, {}, key);
  const { jobId } = await resend();
  await disturb(jobId, resend);
  expect(await waitForEnd(jobId)).toEqual({
    status: 'DONE',
    counts: { total: ROWS, created: 0, changed: ROWS - EDITED, unchanged: 0, failed: 0, skipped: EDITED },
  });
  const skipped = await query(`SELECT record_key FROM jobs.logs WHERE job_id = $1 AND status = 'SKIPPED' ORDER BY 1`, [
    jobId,
  ]);
  expect(skipped).toEqual(Array.from({ length: EDITED }, (_, index) => ({ record_key: codeOf(index) })));
  expect(await author.send('POST', `/api/jobs/${importJobId}/undo`, {})).toMatchObject({ status: 409 });
}

/** Kills processes until the job has ended, at most `killsMax` times. The long form chooses the processes at random. */
async function killUntilEnd(jobId: number, nextRandom: () => number, killsMax: number, resend: () => Promise<unknown>) {
  // An undo does not use the process that reads files.
  const parts = KILLABLE_PROCESSES.filter((name) => name !== 'file process');
  const kills: KillableProcess[] = [];
  while (kills.length < killsMax) {
    await pause(nextRandom() * 300);
    const [job] = await query('SELECT FROM jobs.progress WHERE job_id = $1 AND ended_at IS NULL', [jobId]);
    if (job === undefined) break;
    const index = LONG ? Math.floor(nextRandom() * parts.length) : parts.length - 1 - (kills.length % parts.length);
    kills.push(await killProcess(stack, pool, parts[index] as KillableProcess, 'rows'));
    expect(await resend()).toMatchObject({ jobId });
  }
  return kills;
}

describe('the undo of an import while processes are killed', () => {
  beforeAll(async () => {
    pool = new RetryingPool(stack.databaseUrl);
    author = new RetryingClient(stack.baseUrl);
    await author.signIn('admin', PASSWORD);
  });
  afterAll(async () => {
    await pool?.end();
  });

  it('ends with the same rows as an undisturbed undo', async () => {
    const nextRandom = random(announcedSeed('undone imports'));
    const undisturbed = await importAndEdit();
    await undo(undisturbed.jobId, async () => undefined);
    const checksum = await checksumOf(undisturbed.dataSetId);
    const kills: KillableProcess[] = [];
    let undos = 0;
    // An undo can end before all processes are killed, so the test kills processes in several undos.
    for (; kills.length < KILLS; undos++) {
      const disturbed = await importAndEdit();
      await undo(disturbed.jobId, async (jobId, resend) => {
        kills.push(...(await killUntilEnd(jobId, nextRandom, KILLS - kills.length, resend)));
      });
      expect(await checksumOf(disturbed.dataSetId)).toBe(checksum);
    }
    console.info(`${undos} undos of ${ROWS} rows, ${kills.length} kills (${killsText(kills)}): ${checksum}`);
  });
});
