/** Searches all tables of a database for texts. */
import type { Queryable } from '@rdm/platform';

const UNDEFINED_TABLE = '42P01';

/**
 * Returns the rows in which one of the texts occurs, one row per line. The database selects the rows, because other
 * tests make the tables too large for one string.
 */
export async function rowsContaining(database: Queryable, texts: readonly string[]): Promise<string> {
  const patterns = texts.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`);
  for (;;) {
    try {
      return await search(database, patterns);
    } catch (error) {
      // Another test rebuilt a projection and so dropped its old tables: search again, in the new tables.
      if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
    }
  }
}

async function search(database: Queryable, patterns: readonly string[]): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const matches: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query<{ row: string }>(
      `SELECT whole::text AS row FROM ${name} whole WHERE whole::text LIKE ANY ($1::text[])`,
      [patterns],
    );
    matches.push(...rows.map(({ row }) => row));
  }
  return matches.join('\n');
}
