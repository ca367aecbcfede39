/** Searches every table: where nothing may be found that is nobody's to read. */
import type { Queryable } from '@rdm/platform';

const UNDEFINED_TABLE = '42P01';

/** The rows of all tables, as text, that contain one of the texts. Other stories fill tables that no string could hold. */
export async function rowsContaining(database: Queryable, texts: readonly string[]): Promise<string> {
  const patterns = texts.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`);
  for (;;) {
    try {
      return await search(database, patterns);
    } catch (error) {
      // Another story rebuilt a projection and dropped the tables of the old build: the rows are in those of the new one.
      if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
    }
  }
}

async function search(database: Queryable, patterns: readonly string[]): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query<{ row: string }>(
      `SELECT whole::text AS row FROM ${name} whole WHERE whole::text LIKE ANY ($1::text[])`,
      [patterns],
    );
    found.push(...rows.map(({ row }) => row));
  }
  return found.join('\n');
}
