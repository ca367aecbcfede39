/** SQL for the API key that caused a change. */
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The columns of `ActingKey`; use with `joinActingKey`. */
export const ACTING_KEY_COLUMNS = sql`acting.api_key_id AS "apiKeyId", acting_key.name AS "apiKeyName"`;

/**
 * Joins the API key that caused the event with this seq. Only the audit log stores this key, in one row per event, so
 * the join adds no rows.
 */
export const joinActingKey = (tables: Tables, seq: Sql): Sql => sql`
  LEFT JOIN ${tables.current('audit_logs')} acting ON acting.seq = ${seq}
  LEFT JOIN identity.api_keys acting_key ON acting_key.id = acting.api_key_id`;
