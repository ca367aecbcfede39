/** Tests migrations of a database that is up to date, and of a database from a newer version. */
import { migrate } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';

let database: SpecDatabase;

beforeAll(async () => {
  database = await startDatabase();
}, 120_000);
afterAll(() => database?.stop());

const recorded = async () => (await database.pool.query('SELECT * FROM platform.migrations ORDER BY id')).rows;

describe('migrations', () => {
  it('do not change a database that has all migrations', async () => {
    const before = await recorded();
    await migrate(database.url);
    expect(await recorded()).toEqual(before);
  });
  it('refuse a database that a newer version of the product has migrated', async () => {
    await database.pool.query(
      `INSERT INTO platform.migrations (name, batch, migration_time) VALUES ('9999-of-a-newer-version', 99, now())`,
    );
    await expect(migrate(database.url)).rejects.toThrow('9999-of-a-newer-version');
  });
});
