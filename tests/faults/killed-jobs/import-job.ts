/** Imports rows of mappings or of relationship values, and kills the process of the import meanwhile. */
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { bodyOf, RetryingClient } from '../retrying-client.ts';
import { killAndExpireLeases } from './leases.ts';
import { LONG, PASSWORD, stack } from './stack.ts';
import { until } from './until.ts';

/** Number of rows that exist before the import and that the import changes. */
export const EXISTING_ROWS = 500;
/** Number of rows of the file that have an empty source. */
export const EMPTY_ROWS = 1_500;
const KILLS = LONG ? 12 : 1;
/** Pause between two counts of all rows, because the database needs several milliseconds for each count. */
export const COUNT_INTERVAL_MS = 200;

let pool: pg.Pool;
export let author: RetryingClient;

/** Signs in the author and connects to the database before the first test; disconnects after the last one. */
export function useAuthor(): void {
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
    author = new RetryingClient(stack.baseUrl);
    await author.signIn('admin', PASSWORD);
  });
  afterAll(async () => {
    await pool?.end();
  });
}

export const write = async (path: string, body: unknown, key?: string) =>
  bodyOf(await author.send('POST', path, body, key));

export const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows;

export async function tableOf(projection: string, table: string): Promise<string> {
  const [serving] = await query<{ schema_name: string }>(
    'SELECT schema_name FROM platform.builds WHERE name = $1 AND serving',
    [projection],
  );
  return `${serving?.schema_name}.${table}`;
}

/**
 * Requests an import and kills its process up to `KILLS` times at random moments. Expects the repeated request to get
 * the same answer after each kill. For `whileLeased`, see `killAndExpireLeases`.
 */
export async function killDuringJob(
  startImport: () => Promise<{ jobId: number }>,
  random: () => number,
  whileLeased?: () => Promise<void>,
): Promise<{ jobId: number; killsDuringJob: number; ended: { status: string; counts: object } }> {
  const answer = await startImport();
  const { jobId } = answer;
  let killsDuringJob = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const pieces = Math.min(Math.floor((66 * kill + random() * 30) / (KILLS + 1)), 56);
    const reached = await until(async () => {
      const [job] = await query<{ kept: number; ended: boolean }>(
        `SELECT (SELECT count(*)::int FROM command.bulk_pieces WHERE job_id = $1) AS kept, ended_at IS NOT NULL AS ended
           FROM jobs.progress WHERE job_id = $1`,
        [jobId],
      );
      return job && (job.ended || job.kept >= pieces) ? job : undefined;
    });
    if (reached.ended) break;
    killsDuringJob += 1;
    await killAndExpireLeases(stack.parts['command-api'], pool, whileLeased ? { whileLeased } : {});
    expect(await startImport()).toEqual(answer);
  }
  const ended = await until(async () => {
    const [job] = await query<{ status: string; counts: object }>(
      'SELECT status, counts FROM jobs.progress WHERE job_id = $1 AND ended_at IS NOT NULL',
      [jobId],
    );
    return job;
  });
  return { jobId, killsDuringJob, ended };
}

/** Counts the error lines in the log of a job, and the rows that these lines name. */
export const countLoggedErrors = async (jobId: number) =>
  (
    await query<{ lines: number; rows: number }>(
      `SELECT count(*)::int AS lines, count(DISTINCT record_index)::int AS rows
         FROM jobs.logs WHERE job_id = $1 AND status = 'ERROR'`,
      [jobId],
    )
  )[0];
