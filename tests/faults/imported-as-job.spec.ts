/**
 * An import of mappings while the process that carries it out is killed in its middle: it goes on, each row of the file
 * is written once, and the counts and the log are exact.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Stack, startStack } from '@rdm/embedded/stack';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../conformance/seed.ts';
import { bodyOf, CarefulClient } from './careful-client.ts';

const PASSWORD = 'Imported-as-job-1';
const HELD = 500;
const ROWS = 20_000;
/** Rows of the file that say nothing. */
const EMPTY = 1_500;
const KILLS = process.env['FAULTS'] === 'long' ? 12 : 3;

let folder: string;
let stack: Stack;
let pool: pg.Pool;
let author: CarefulClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-imported-as-job-'));
  stack = await startStack({ dataDir: folder, adminPassword: PASSWORD });
  pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
  author = new CarefulClient(stack.baseUrl);
  await author.signIn('admin', PASSWORD);
});
afterAll(async () => {
  await pool?.end();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const write = async (path: string, body: unknown, key?: string) => bodyOf(await author.insist('POST', path, body, key));

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 120_000; ; await pause(2)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error('This never came true');
  }
}

const asked = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows;

async function tableOf(): Promise<string> {
  const [build] = await asked<{ schema_name: string }>(
    `SELECT schema_name FROM platform.builds WHERE name = 'crosswalks' AND serving`,
  );
  return `${build?.schema_name}.crosswalk_mapping_values`;
}

async function newCrosswalk(): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const type = await write('/api/reference-types', { name: `Job ${randomUUID()}`, schemas });
  const dataSet = async () =>
    (await write('/api/reference-data', { name: `Job ${randomUUID()}`, typeId: type.id })).id as number;
  const ends = { sourceSystemId: await dataSet(), targetSystemId: await dataSet() };
  const attributes = { sourceAttribute: 'code', targetAttribute: 'code' };
  return (await write('/api/crosswalks', { name: 'Imported as a job', ...ends, ...attributes })).id;
}

/** Uploads a file whose rows are new, change what is held, or say nothing. */
async function staged(crosswalkId: number): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, index) => `s${index},t${index}`);
  const empty = Array.from({ length: EMPTY }, (_, index) => `,nothing ${index}`);
  const form = new FormData();
  form.set('crosswalkId', String(crosswalkId));
  form.set('file', new Blob([['sourceValue,targetValue', ...rows, ...empty].join('\n')]), 'rows.csv');
  return (await write('/api/imports', form)).id;
}

describe('an import that is a job', () => {
  it('writes each row once, however often its process is killed', async () => {
    const next = random(announcedSeed('imported as job'));
    const id = await newCrosswalk();
    const held = Array.from({ length: HELD }, (_, index) => ({ sourceValue: `s${index}`, targetValue: 'other' }));
    await write(`/api/crosswalks/${id}/mappings`, { rows: held });
    const fileId = await staged(id);
    const key = randomUUID();
    const again = () => write(`/api/crosswalks/${id}/mappings/import`, { fileId, submit: true }, key);
    const said = await again();
    const jobId = said.jobId as number;
    let inTheMiddle = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const pieces = Math.min(Math.floor((66 * kill + next() * 30) / (KILLS + 1)), 56);
      const reached = await until(async () => {
        const [job] = await asked<{ kept: number; ended: boolean }>(
          `SELECT (SELECT count(*)::int FROM command.bulk_pieces WHERE job_id = $1) AS kept, ended_at IS NOT NULL AS ended
             FROM jobs.progress WHERE job_id = $1`,
          [jobId],
        );
        return job && (job.ended || job.kept >= pieces) ? job : undefined;
      });
      if (reached.ended) break;
      inTheMiddle += 1;
      stack.parts['command-api']?.kill9();
      await stack.parts['command-api']?.ready();
      expect(await again()).toEqual(said);
    }
    const ended = await until(async () => {
      const [job] = await asked<{ status: string; counts: object }>(
        'SELECT status, counts FROM jobs.progress WHERE job_id = $1 AND ended_at IS NOT NULL',
        [jobId],
      );
      return job;
    });
    expect(ended).toEqual({
      status: 'DONE',
      counts: {
        total: ROWS + EMPTY,
        created: ROWS - HELD,
        changed: HELD,
        unchanged: 0,
        failed: EMPTY,
        skipped: 0,
      },
    });
    const [logged] = await asked<{ lines: number; rows: number }>(
      `SELECT count(*)::int AS lines, count(DISTINCT record_index)::int AS rows
         FROM jobs.logs WHERE job_id = $1 AND status = 'ERROR'`,
      [jobId],
    );
    expect(logged).toEqual({ lines: EMPTY, rows: EMPTY });
    const table = await tableOf();
    // Drafted and submitted, or drafted, changed and submitted; no pair twice, none left out.
    const found = await until(async () => {
      const [rows] = await asked<{ rows: number; pairs: number; right: number; revisions: number }>(
        `SELECT count(*)::int AS rows, count(DISTINCT source_value)::int AS pairs, sum(revision)::int AS revisions,
                count(*) FILTER (WHERE approval_status = 'PENDING' AND target_value = 't' || substr(source_value, 2))::int AS right
           FROM ${table} WHERE crosswalk_id = $1`,
        [id],
      );
      return rows?.right === ROWS ? rows : undefined;
    });
    expect(found).toEqual({ rows: ROWS, pairs: ROWS, right: ROWS, revisions: 2 * ROWS + HELD });
    expect(inTheMiddle).toBeGreaterThan(0);
    console.info(`${ROWS} rows imported, ${inTheMiddle} kills in the middle of it: each once`);
  });
});
