/** Searches every table: where nothing may be found that is nobody's to read. */
import type { Queryable } from '@rdm/platform';

/** The rows of all tables, as text, that contain one of the texts. Other stories fill tables that no string could hold. */
export async function rowsContaining(database: Queryable, texts: readonly string[]): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const patterns = texts.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`);
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
