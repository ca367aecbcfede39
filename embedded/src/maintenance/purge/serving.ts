/** Finds the names of tables in the serving builds. */
import type { Queryable } from '@rdm/platform';

/** Returns the qualified name of a table of a projection. */
export type Serving = (projection: string, table: string) => string;

/** Reads the serving builds. The returned function throws if no build of the projection serves. */
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
