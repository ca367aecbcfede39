/** Hashes passwords with argon2id on a worker thread, never on the event loop. */
import { hash, verify } from '@node-rs/argon2';

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane. The package's default algorithm is argon2id.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Verified against for unknown users, so that the answer takes as long; computed at startup. */
const dummyHash = hashPassword('no such user');

/** Whether the password is correct; takes as long when there is no user. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const isCorrect = await verify(stored ?? (await dummyHash), password);
  return isCorrect && stored !== null && stored !== undefined;
}
