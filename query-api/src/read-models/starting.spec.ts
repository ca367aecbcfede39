/** Tests that read models refuse reads until they reach the end of the log, because lists would be incomplete. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createBuilds, openSpecReadModels, type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import type { ReadModels } from './read-models.ts';
import { sql } from './sql.ts';

let database: SpecDatabase;
let readModels: ReadModels;
let close: () => Promise<void>;
beforeAll(async () => {
  database = await startDatabase();
  await createBuilds(database.pool);
  await setComplete(false);
  ({ readModels, close } = await openSpecReadModels(database));
}, 60_000);
afterAll(async () => {
  await close?.();
  await database?.stop();
});

const setComplete = (complete: boolean) =>
  database.pool.query(`UPDATE platform.reader SET complete = ${complete}; NOTIFY builds`);
const read = async () => (await readModels.read({}, (tables) => sql`SELECT id FROM ${tables('instances')}`)).rows;
async function download(): Promise<unknown[]> {
  const rows = [];
  for await (const batch of readModels.stream({}, (tables) => sql`SELECT id FROM ${tables('instances')}`)) {
    rows.push(...batch.rows);
  }
  return rows;
}

it('read models that have not reached the end of the log refuse reads and downloads with STARTING', async () => {
  const refused = { code: 'STARTING', status: 503, retryAfter: 1 };
  const requireRefusals = async () => {
    await expect(read()).rejects.toMatchObject(refused);
    await expect(download()).rejects.toMatchObject(refused);
    expect(readModels.isComplete()).toBe(false);
  };
  await requireRefusals();
  await setComplete(true);
  await vi.waitFor(async () => expect(await read()).toEqual([]), 10_000);
  expect(await download()).toEqual([]);
  expect(readModels.isComplete()).toBe(true);
  await setComplete(false);
  await vi.waitFor(requireRefusals, 10_000);
});
