/** Names of people, from the vault's profiles: what others may see of somebody. */
import type { PersonName } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';

/** Of those that exist, in no particular order. */
export async function peopleNamed(db: Queryable, ids: readonly number[]): Promise<PersonName[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query(
    `SELECT id, username, display_name AS "displayName" FROM identity.users WHERE id = ANY($1::bigint[])`,
    [ids],
  );
  return rows as PersonName[];
}

/** Ids in a query string: `1,2,3`; anything else in it is left out. */
export const idList = (text: string | undefined, most: number): number[] =>
  [...new Set((text ?? '').split(',').map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0).slice(0, most);
