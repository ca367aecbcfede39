/** The names of tables in the builds that serve. */
import type { Queryable } from '@rdm/platform';

export type Serving = (projection: string, table: string) => string;

/**
 * Reads which builds serve. Returns a function that returns the qualified name of a table of a projection, and throws
 * if no build of the projection serves.
 */
export async function servingTables(db: Queryable): Promise<Serving> {
  const { rows } = await db.query<{ name: string; schema: string }>(
    'SELECT name, schema_name AS schema FROM platform.builds WHERE serving',
  );
  const schemas = new Map(rows.map(({ name, schema }) => [name, schema]));
  return (projection, table) => {
    const schema = schemas.get(projection);
    if (schema === undefined) throw new Error(`The read model ${projection} does not serve yet`);
    return `${schema}.${table}`;
  };
}
