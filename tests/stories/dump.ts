/** Every row of every table, as text: where nothing may be found that is nobody's to read. */
import type { Queryable } from '@rdm/platform';

export async function everyRow(database: Queryable): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const dumped: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query<{ row: string }>(`SELECT whole::text AS row FROM ${name} whole`);
    dumped.push(...rows.map(({ row }) => row));
  }
  return dumped.join('\n');
}
