/** Hashes passwords with argon2id on a worker thread, never on the event loop. */
import { hash, verify } from '@node-rs/argon2';

// The second of the configurations that OWASP recommends for argon2id: 19 MiB, two passes, one lane. The package uses
// argon2id by default.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** For unknown users the password is compared with this hash, so that the answer takes as long as for known users. */
const dummyHash = hashPassword('no such user');

/** Whether the password is correct; takes the same time if there is no user. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const isCorrect = await verify(stored ?? (await dummyHash), password);
  return isCorrect && stored !== null && stored !== undefined;
}
