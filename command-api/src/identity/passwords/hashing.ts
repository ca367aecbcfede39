/** Hashes passwords with argon2id in the thread pool, never on the event loop. */
import { hash, verify } from '@node-rs/argon2';

// The second of the configurations that OWASP recommends for argon2id: 19 MiB, two passes, one lane. The package uses
// argon2id by default.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Replaces a missing hash, so that the response time does not reveal that a user is unknown. */
const dummyHash = hashPassword('no such user');

/** Whether the password is correct. Takes the same time without a stored hash. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const isCorrect = await verify(stored ?? (await dummyHash), password);
  return isCorrect && stored !== null && stored !== undefined;
}
