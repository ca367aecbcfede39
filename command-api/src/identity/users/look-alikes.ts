/** Refuses a username that looks like another one: compares the skeletons of usernames (Unicode UTS 39). */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import confusables from 'unicode-confusables';

/** Reserved names; the product itself acts as "system". */
const RESERVED = ['system', 'administrator', 'root'];

/** The skeletons of a name as written, in lower and in upper case, because "I" looks like "l", but "i" does not. */
const skeletonsOf = (name: string): string[] =>
  [name, name.toLowerCase(), name.toUpperCase()].map((text) =>
    confusables.rectifyConfusion(text.normalize('NFD')).toLowerCase(),
  );

/**
 * Returns a check of usernames: true if a username looks like a reserved one or like that of another user. The check is
 * false for the username of another user itself, because the database refuses this username.
 */
export async function loadLookAlikeCheck(db: Queryable, userId: number): Promise<(username: string) => boolean> {
  const { rows } = await db.query<{ username: string }>(
    'SELECT username FROM identity.users WHERE id <> $1 AND erased_at IS NULL',
    [userId],
  );
  const names = new Set(rows.map(({ username }) => username.toLowerCase()));
  const skeletons = new Set([...RESERVED, ...rows.map(({ username }) => username)].flatMap(skeletonsOf));
  return (username) =>
    !names.has(username.toLowerCase()) && skeletonsOf(username).some((skeleton) => skeletons.has(skeleton));
}

/** Throws NAME_TAKEN for a username that looks like a reserved one or like that of another user. */
export async function requireDistinct(db: Queryable, userId: number, username: string): Promise<void> {
  const isSimilar = await loadLookAlikeCheck(db, userId);
  if (isSimilar(username)) {
    throw new Refusal('NAME_TAKEN', 'This username looks like one that is taken or reserved. Choose another one.');
  }
}
