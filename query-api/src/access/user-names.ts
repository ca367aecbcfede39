/** Names of users. Every user may see them. */
import { FORMER_USER, type PersonName } from '@rdm/contracts';
import type { ReadModels, ReadResult } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** Reads the names of the given users, in no particular order. The result lacks users that no longer exist. */
export const readUserNames = (readModels: ReadModels, ids: readonly number[]): Promise<ReadResult<PersonName>> =>
  readModels.read<PersonName>(
    {},
    () => sql`SELECT id, username, display_name AS "displayName" FROM identity.users WHERE id = ANY(${ids}::bigint[])`,
  );

/** The names of a user `u` in one text, for searches. */
export const allNamesOf = (u: Sql): Sql =>
  sql`concat_ws(' ', ${u}.display_name, ${u}.username, ${u}.first_name, ${u}.last_name)`;

/** The username of `actorId` in the profile `u`: `FORMER_USER` without a profile, null for the system. */
export const usernameOf = (u: Sql, actorId: Sql): Sql =>
  sql`CASE WHEN ${actorId} IS NOT NULL THEN coalesce(${u}.username, ${FORMER_USER}) END`;

/**
 * Returns the first `maxCount` different ids of a query parameter such as `1,2,3`; ignores everything that is not an
 * id.
 */
export const parseIds = (text: string | undefined, maxCount: number): number[] =>
  [...new Set((text ?? '').split(',').map(Number))]
    .filter((id) => Number.isSafeInteger(id) && id > 0)
    .slice(0, maxCount);
