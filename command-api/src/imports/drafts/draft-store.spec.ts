/** Tests the limit of files that are read at the same time for a user. */
import { randomUUID } from 'node:crypto';
import { Refusal } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatabase } from '../../testing/database.ts';
import { createDraft, requireFewReading } from './draft-store.ts';

let database: Awaited<ReturnType<typeof startDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await startDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

let lastOwner = 0;

async function uploaded(ownerId: number): Promise<string> {
  const id = randomUUID();
  await pool.query(`INSERT INTO command.staged_files (id, owner_id, file_name) VALUES ($1, $2, 'a.csv')`, [
    id,
    ownerId,
  ]);
  return id;
}

it('refuses a fourth draft while three are being read, also of uploads that end together', async () => {
  const ownerId = ++lastOwner;
  const ids = await Promise.all(Array.from({ length: 5 }, () => uploaded(ownerId)));
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

it('counts neither drafts that were read, nor those of other users, nor the same draft again', async () => {
  const [ownerId, other] = [++lastOwner, ++lastOwner];
  for (let each = 0; each < 3; each++) await createDraft(pool, await uploaded(other), other);
  const ids = [];
  for (let each = 0; each < 3; each++) {
    const id = await uploaded(ownerId);
    await createDraft(pool, id, ownerId);
    ids.push(id);
  }
  await createDraft(pool, ids[0] as string, ownerId);
  await pool.query(`UPDATE command.import_drafts SET state = 'READY' WHERE id = $1`, [ids[0]]);
  await createDraft(pool, await uploaded(ownerId), ownerId);
});
