/** Finds the crosswalk and source value of a missing mapping by the id of the mapping. */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { NO_MISSING_MAPPING } from './missing-mappings.ts';

/** Maps the ids of missing mappings to the ids of their crosswalks. Omits unknown ids. */
export async function findCrosswalksOfMissing(db: Queryable, ids: readonly number[]): Promise<Map<number, number>> {
  const schema = await servingSchema(db);
  if (schema === undefined) return new Map();
  const { rows } = await db.query<{ id: number; crosswalkId: number }>(
    `SELECT id, crosswalk_id AS "crosswalkId" FROM "${schema}".missing_mappings WHERE id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map(({ id, crosswalkId }) => [id, crosswalkId]));
}

export interface MissingMappingKey {
  crosswalkId: number;
  sourceValue: string;
}

/**
 * Reads the read model. Its delay does no harm, because the crosswalk and the source value of a missing mapping never
 * change. Throws NOT_FOUND for an unknown id.
 */
export async function findMissingMapping(db: Queryable, id: number): Promise<MissingMappingKey> {
  const schema = await servingSchema(db);
  if (schema !== undefined) {
    const { rows } = await db.query<MissingMappingKey>(
      `SELECT crosswalk_id AS "crosswalkId", source_value AS "sourceValue" FROM "${schema}".missing_mappings WHERE id = $1`,
      [id],
    );
    if (rows[0]) return rows[0];
  }
  throw new Refusal('NOT_FOUND', NO_MISSING_MAPPING);
}

async function servingSchema(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ schema_name: string }>(
    `SELECT schema_name FROM platform.builds WHERE name = 'missing_mappings' AND serving`,
  );
  return rows[0]?.schema_name;
}
