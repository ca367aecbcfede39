/** Tests drafts on a real PostgreSQL: the limit of files being read per user, and changes during a start. */
import { randomUUID } from 'node:crypto';
import { Refusal } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatabase } from '../../testing/database.ts';
import { changeDraft, createDraft, markStarted, requireDraft, requireFewReading } from './draft-store.ts';

let database: Awaited<ReturnType<typeof startDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await startDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

let lastOwner = 0;

async function uploadFile(ownerId: number): Promise<string> {
  const id = randomUUID();
  await pool.query(`INSERT INTO command.staged_files (id, owner_id, file_name) VALUES ($1, $2, 'a.csv')`, [
    id,
    ownerId,
  ]);
  return id;
}

it('refuses a fourth draft while three are being read', async () => {
  const ownerId = ++lastOwner;
  const ids = await Promise.all(Array.from({ length: 5 }, () => uploadFile(ownerId)));
  const outcomes = await Promise.allSettled(ids.map((id) => createDraft(pool, id, ownerId)));
  const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused).toHaveLength(2);
  for (const error of refused) {
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ status: 429, retryAfter: 10 });
    expect(error.message).toMatch(/Wait until one of them has been read, or delete one/);
  }
  await expect(requireFewReading(pool, ownerId)).rejects.toThrow(/3 of your files are being read/);
});

it('does not count drafts of other users, drafts that have been read, or the excepted drafts', async () => {
  const [ownerId, otherOwner] = [++lastOwner, ++lastOwner];
  for (let each = 0; each < 3; each++) await createDraft(pool, await uploadFile(otherOwner), otherOwner);
  const ids = [];
  for (let each = 0; each < 3; each++) {
    const id = await uploadFile(ownerId);
    await createDraft(pool, id, ownerId);
    ids.push(id);
  }
  await requireFewReading(pool, ownerId, [ids[0] as string]);
  const uploadKey = randomUUID();
  await expect(requireFewReading(pool, ownerId, [uploadKey])).rejects.toThrow(Refusal);
  await pool.query('UPDATE command.staged_files SET upload_key = $2 WHERE id = $1', [ids[0], uploadKey]);
  await requireFewReading(pool, ownerId, [uploadKey]);
  await createDraft(pool, ids[0] as string, ownerId);
  await pool.query(`UPDATE command.import_drafts SET state = 'READY' WHERE id = $1`, [ids[0]]);
  await createDraft(pool, await uploadFile(ownerId), ownerId);
});

const viewOf = async (id: string) =>
  (await pool.query<{ view: unknown }>('SELECT view FROM command.staged_files WHERE id = $1', [id])).rows[0]?.view;

it('changes the view of the file only together with the settings', async () => {
  const ownerId = ++lastOwner;
  const id = await uploadFile(ownerId);
  await createDraft(pool, id, ownerId);
  await pool.query(`UPDATE command.import_drafts SET state = 'READY' WHERE id = $1`, [id]);
  const draft = await requireDraft(pool, id, ownerId);
  const target = { kind: 'newDataSet' as const, name: 'Codes' };
  const view = { id, dataSetId: null, fileName: 'a.csv', size: 5, hash: '', encoding: 'utf-8' };
  const changed = await changeDraft(pool, draft, { target }, 1, view);
  expect(changed).toMatchObject({ revision: 2, settings: { target } });
  expect(await viewOf(id)).toEqual(view);

  // The draft was started in another window.
  await markStarted(pool, id, 9, ['READY']);
  const lateChange = changeDraft(pool, changed, { target: { ...target, name: 'Late' } }, 2, {
    ...view,
    fileName: 'late.csv',
  });
  await expect(lateChange).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await viewOf(id)).toEqual(view);
});

it('lets the start of a draft wait for an earlier change of the draft', async () => {
  const ownerId = ++lastOwner;
  const id = await uploadFile(ownerId);
  await createDraft(pool, id, ownerId);
  await pool.query(`UPDATE command.import_drafts SET state = 'READY' WHERE id = $1`, [id]);
  const draft = await requireDraft(pool, id, ownerId);
  const view = { id, dataSetId: null, fileName: 'a.csv', size: 5, hash: '', encoding: 'utf-8' };
  const holder = await pool.connect();
  try {
    // The lock stops the change between its updates of the settings and of the view.
    await holder.query('BEGIN');
    await holder.query('SELECT FROM command.staged_files WHERE id = $1 FOR UPDATE', [id]);
    const changing = changeDraft(pool, draft, { mode: 'insert' }, 1, view);
    const hasWaiting = (count: number) => async () =>
      (await holder.query(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rows[0]
        ?.n >= count;
    await expect.poll(hasWaiting(1)).toBe(true);
    const order: string[] = [];
    const starting = markStarted(pool, id, 9, ['READY']).then(() => order.push('started'));
    await expect.poll(hasWaiting(2)).toBe(true);
    order.push('released');
    await holder.query('COMMIT');
    await Promise.all([changing, starting]);
    expect(order).toEqual(['released', 'started']);
  } finally {
    holder.release();
  }
});
