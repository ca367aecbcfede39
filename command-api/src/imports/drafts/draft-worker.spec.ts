/** Tests when and why a draft is given up, on a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { createLog, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordOutOfMemory } from '../../bulk/memory-failures.ts';
import { startDatabase } from '../../testing/database.ts';
import { createDraft } from './draft-store.ts';
import { type DraftWorkerContext, startDraftWorker } from './draft-worker.ts';

let database: Awaited<ReturnType<typeof startDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await startDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

let lastOwner = 0;

/** Creates a draft that a process works on, after the given numbers of failures and of attempts. */
async function createClaimedDraft(worker: string, { failures = 2, attempt = 3 } = {}): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO command.staged_files (id, owner_id, file_name, size, hash, complete) VALUES ($1, $2, 'a.csv', 5, '', true)`,
    [id, ++lastOwner],
  );
  await createDraft(pool, id, lastOwner);
  await pool.query(
    `UPDATE command.import_drafts
        SET attempt = $3, failures = $4, leased_by = $2, leased_until = now() + interval '1 minute' WHERE id = $1`,
    [id, worker, attempt, failures],
  );
  return id;
}

async function refusalOf(id: string): Promise<string> {
  // No streams are needed: a draft without a target loads none.
  const context = { pool, log: createLog('spec', 'silent') } as unknown as DraftWorkerContext;
  await pool.query('UPDATE command.import_drafts SET leased_until = NULL WHERE id = $1', [id]);
  const worker = startDraftWorker(context, { name: 'next' });
  try {
    const refusal = async () =>
      (await pool.query<{ refusal: string | null }>('SELECT refusal FROM command.import_drafts WHERE id = $1', [id]))
        .rows[0]?.refusal;
    await expect.poll(refusal, { timeout: 20_000 }).toBeTruthy();
    return (await refusal()) as string;
  } finally {
    await worker.stop();
  }
}

it('a draft is given up because of memory only if its process ran out of memory', async () => {
  const [own, other] = [await createClaimedDraft('exhausted'), await createClaimedDraft('healthy')];
  await recordOutOfMemory(pool, 'exhausted');
  expect(await refusalOf(own)).toMatch(/needs too much memory/);
  // The pieces of the file are missing. This is an error of the system, not of the file.
  expect(await refusalOf(other)).toMatch(/because of an error of the system/);
});

it('a draft is given up after three failures; attempts that end without a failure have a much higher limit', async () => {
  expect(await refusalOf(await createClaimedDraft('killed', { attempt: 10, failures: 0 }))).toMatch(
    /error of the system/,
  );
  const ended = await createClaimedDraft('killed', { attempt: 20, failures: 0 });
  expect(await refusalOf(ended)).toMatch(/^The process that worked on the file was ended 20 times/);
});
