/** Finds what a missing mapping is about, of which a path gives the id alone. */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';

/** Neither ever changes: a look-up, not a decision. */
export async function findMissingMapping(
  db: Queryable,
  id: number,
): Promise<{ crosswalkId: number; sourceValue: string }> {
  const schema = await db.query<{ schema_name: string }>(
    `SELECT schema_name FROM platform.builds WHERE name = 'missing_mappings' AND serving`,
  );
  const name = schema.rows[0]?.schema_name;
  if (name !== undefined) {
    const { rows } = await db.query<{ crosswalkId: number; sourceValue: string }>(
      `SELECT crosswalk_id AS "crosswalkId", source_value AS "sourceValue" FROM "${name}".missing_mappings WHERE id = $1`,
      [id],
    );
    if (rows[0]) return rows[0];
  }
  throw new Refusal('NOT_FOUND', 'This missing mapping does not exist');
}
