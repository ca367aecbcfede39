/** Tests the connection pools on a real PostgreSQL. */
import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import { openPools, type Pools } from './pools.ts';

let database: SpecDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

async function prioritiesOf({ regexPool, downloadPool, pool }: Pools): Promise<number[]> {
  const processes = await Promise.all(
    [regexPool, downloadPool, pool].map(async (each) => {
      const { rows } = await each.query<{ id: number }>('SELECT pg_backend_pid() AS id');
      return rows[0]?.id ?? 0;
    }),
  );
  return processes.map((process) => getPriority(process));
}

describe('the pools', () => {
  for (const [where, isEmbedded, niceness] of [
    ['an embedded', true, 10],
    ['an external', false, getPriority()],
  ] as const)
    it(`run regular expressions and downloads with niceness ${niceness} on ${where} PostgreSQL`, async () => {
      const pools = openPools({ DATABASE_URL: database.url, DATABASE_EMBEDDED: isEmbedded });
      expect(await prioritiesOf(pools)).toEqual([niceness, niceness, getPriority()]);
      await pools.end();
    });
});
