/** Accounts whose passwords attackers guess from many addresses. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { announcedSeed, random } from '../../conformance/seed.ts';
import { done } from '../../stories/fixtures.ts';
import { HttpClient } from '../../stories/http-client.ts';
import { PASSWORD as ADMIN_PASSWORD, stack } from './stack.ts';

const CONCURRENCY = 8;
/** Number of wrong attempts for one name that are answered 401. The next wrong attempt locks the name. */
export const TRIES = 4;
export const PASSWORD = 'Stuffed-right-1';

const chance = random(announcedSeed('stuffing'));
export const randomBelow = (count: number): number => Math.floor(chance() * count);
export let admin: HttpClient;
export let database: pg.Client;

/** Signs in the administrator and connects to the database before the first test. */
export function useAccounts(): void {
  beforeAll(async () => {
    database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    admin = new HttpClient(stack.baseUrl);
    done(await admin.signIn('admin', ADMIN_PASSWORD));
  });
  afterAll(() => database?.end());
}

/** Returns a random address, so that no address makes enough attempts to be blocked. */
const botAddress = () => `198.18.${randomBelow(256)}.${randomBelow(256)}`;
export const newBot = (address = botAddress()) => new HttpClient(stack.baseUrl, address);
export const newName = () => `stuffed-${randomUUID().slice(0, 12)}`;

export async function createAccount(): Promise<string> {
  const username = newName();
  const user = {
    username,
    email: `${username}@example.com`,
    password: PASSWORD,
    roleId: 4,
    requirePasswordChange: false,
  };
  done(await admin.post('/api/users', user));
  return username;
}

export async function runInParallel<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const runRemaining = async () => {
    for (let index = results.length; results.length < count; index = results.length) {
      results.push(undefined as T);
      results[index] = await run(index);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runRemaining));
  return results;
}

export const countValues = (values: Iterable<string | number>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};
