/**
 * Kills processes during decisions on many rows. The client repeats each request under the same idempotency key: each
 * decision takes effect once and has one answer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../conformance/seed.ts';
import { bodyOf, RetryingClient } from '../retrying-client.ts';
import { LONG, PASSWORD, stack } from './stack.ts';

const ROWS = LONG ? 10_000 : 800;
const ROUNDS = LONG ? 10 : 1;
const PARTS = ['command-api', 'event-store', 'projector', 'query-api', 'postgres'];

let pool: pg.Pool;
let author: RetryingClient;
let approver: RetryingClient;

/** Creates a crosswalk with ROWS mappings under review. */
async function createMappingsUnderReview(): Promise<{ id: number; rows: { id: number; revision: number }[] }> {
  const write = async (path: string, body: unknown) => bodyOf(await author.send('POST', path, body));
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const type = await write('/api/reference-types', { name: `Decided ${randomUUID()}`, schemas });
  const createDataSet = async () =>
    (await write('/api/reference-data', { name: `Decided ${randomUUID()}`, typeId: type.id })).id as number;
  const attributes = { sourceAttribute: 'code', targetAttribute: 'code' };
  const ends = { sourceSystemId: await createDataSet(), targetSystemId: await createDataSet() };
  const { id } = await write('/api/crosswalks', { name: 'Decided once', ...ends, ...attributes });
  const pairs = Array.from({ length: ROWS }, (_, index) => ({ sourceValue: `s${index}`, targetValue: `t${index}` }));
  const drafted = await write(`/api/crosswalks/${id}/mappings`, { rows: pairs });
  const submitted = await write(`/api/crosswalks/${id}/mappings/submit`, { rows: rowsOf(drafted) });
  return { id, rows: rowsOf(submitted) };
}

type Outcome = { id: number; revision: number; outcome: string };
const rowsOf = (body: { results: Outcome[] }) => body.results.map(({ id, revision }) => ({ id, revision }));

const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows;

/**
 * Waits until the newest command with this name has begun `steps` appends or has ended. Returns the number of begun
 * appends, or -1 if the command has ended.
 */
async function waitForSteps(name: string, steps: number): Promise<number> {
  for (;;) {
    const [row] = await query<{ steps: number; answered: boolean }>(
      `SELECT (SELECT count(*)::int FROM jsonb_object_keys(steps)) AS steps, status IS NOT NULL AS answered
         FROM command.commands WHERE name = $1 ORDER BY created_at DESC LIMIT 1`,
      [name],
    );
    if (row && (row.steps >= steps || row.answered)) return row.answered ? -1 : row.steps;
    await pause(5);
  }
}

describe('a decision on many rows', () => {
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
    // The test also kills the database, after which the pool connects again.
    pool.on('error', () => undefined);
    author = new RetryingClient(stack.baseUrl);
    approver = new RetryingClient(stack.baseUrl);
    await author.signIn('admin', PASSWORD);
    const decider = { username: 'decider', email: 'decider@example.com', password: PASSWORD, roleId: 1 };
    bodyOf(await author.send('POST', '/api/users', { ...decider, requirePasswordChange: false }));
    await approver.signIn('decider', PASSWORD);
  });
  afterAll(async () => {
    await pool?.end();
  });

  it('takes effect once although a process is killed', async () => {
    const next = random(announcedSeed('decided once'));
    const crosswalk = await createMappingsUnderReview();
    let { rows } = crosswalk;
    let revision = 2;
    let killsDuringCommand = 0;
    let batch = '';
    for (let round = 0; round < ROUNDS * PARTS.length; round++) {
      const part = PARTS[round % PARTS.length] ?? '';
      // The rounds alternate between an approval and its undo.
      const approves = round % 2 === 0;
      const before = (await query<{ count: number }>('SELECT count(*)::int AS count FROM command.commands'))[0]?.count;
      const key = randomUUID();
      const decide = () =>
        approves
          ? approver.send('POST', `/api/crosswalks/${crosswalk.id}/mappings/approve`, { rows }, key)
          : approver.send('POST', `/api/batches/${batch}/undo`, {}, key);
      const first = decide();
      const hasBegun = async () =>
        (await query<{ count: number }>('SELECT count(*)::int AS count FROM command.commands'))[0]?.count !== before;
      while (!(await hasBegun())) await pause(5);
      const steps = await waitForSteps(approves ? 'ReviewMappings' : 'UndoBatch', 1 + Math.floor(next() * 48));
      if (steps >= 0) killsDuringCommand += 1;
      stack.parts[part]?.kill9();
      const answer = await first;
      await stack.parts[part]?.ready();
      expect((await decide()).text, `${part}: the same answer`).toBe(answer.text);
      const decided = bodyOf(answer);
      expect(decided, part).toMatchObject({ done: ROWS, refused: 0 });
      revision += 1;
      expect(new Set(decided.results.map((row: Outcome) => row.revision))).toEqual(new Set([revision]));
      rows = rowsOf(decided);
      batch = decided.commandId;
    }

    const counts = await eventually(async () => {
      const [build] = await query<{ schema_name: string }>(
        `SELECT schema_name FROM platform.builds WHERE name = 'crosswalks' AND serving`,
      );
      const table = `${build?.schema_name}.crosswalk_mapping_values`;
      const [row] = await query<Record<'rows' | 'versions' | 'current' | 'past', number>>(
        `SELECT (SELECT count(*)::int FROM ${table} WHERE crosswalk_id = $1) AS rows,
                (SELECT count(*)::int FROM ${table} WHERE crosswalk_id = $1 AND revision = $2) AS current,
                (SELECT count(*)::int FROM ${table}_history WHERE crosswalk_id = $1) AS past,
                (SELECT count(DISTINCT (id, revision))::int FROM ${table}_history WHERE crosswalk_id = $1) AS versions`,
        [crosswalk.id, revision],
      );
      return row?.current === ROWS ? row : undefined;
    });
    // Each row has a version of its draft, one of its submission, and one per decision or undo. The last is current.
    const past = ROWS * (revision - 1);
    expect(counts).toEqual({ rows: ROWS, current: ROWS, past, versions: past });
    console.info(
      `${ROWS} rows decided ${revision - 2} times, each decision took effect once; ${killsDuringCommand} kills during a command`,
    );
  });
});

async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const until = Date.now() + 60_000; ; await pause(50)) {
    const answer = await read();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error('The expected state was not reached in time');
  }
}
