/** Creates drafts that one worker has claimed, and continues these drafts with another worker. */
import { randomUUID } from 'node:crypto';
import { createLog, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect } from 'vitest';
import type { JobSlots } from '../../../bulk/job-slots.ts';
import type { Streams } from '../../../runtime/streams.ts';
import { startDatabase } from '../../../testing/database.ts';
import { createDraft } from '../draft-store.ts';
import { type DraftWorkerContext, startDraftWorker } from '../draft-worker.ts';

let database: Awaited<ReturnType<typeof startDatabase>>;
export let pool: Pool;

let lastOwner = 0;

/** Creates a draft that `worker` has claimed, with the given numbers of failures and attempts. */
export async function createClaimedDraft(
  worker: string,
  { failures = 2, attempt = 3, dataSetId }: { failures?: number; attempt?: number; dataSetId?: number } = {},
): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO command.staged_files (id, owner_id, file_name, size, hash, complete) VALUES ($1, $2, 'a.csv', 5, '', true)`,
    [id, ++lastOwner],
  );
  await createDraft(pool, id, lastOwner, dataSetId === undefined ? {} : { target: { kind: 'dataSet', dataSetId } });
  await pool.query(
    `UPDATE command.import_drafts
        SET attempt = $3, failures = $4, leased_by = $2, leased_until = now() + interval '1 minute' WHERE id = $1`,
    [id, worker, attempt, failures],
  );
  return id;
}

/**
 * Ends the claim of a draft and starts another worker. `streams` is needed only for a draft with a target, because the
 * worker loads the target.
 */
export async function continueDraft(id: string, streams?: Pick<Streams, 'load'>): Promise<JobSlots> {
  const context = { pool, streams, log: createLog('spec', 'silent') } as unknown as DraftWorkerContext;
  await pool.query('UPDATE command.import_drafts SET leased_until = NULL WHERE id = $1', [id]);
  return startDraftWorker(context, { name: 'next' });
}

/** Lets another worker continue the draft until the worker refuses the draft; returns the reason. */
export async function refusalOf(id: string): Promise<string> {
  const worker = await continueDraft(id);
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

/** Starts a PostgreSQL for the tests of a file. */
export function startDraftDatabase(): void {
  beforeAll(async () => {
    database = await startDatabase();
    pool = database.pool;
  });

  afterAll(() => database.stop());
}
