/** Password hashing: argon2id on a worker thread of libuv, never on the event loop. */
import { hash, verify } from '@node-rs/argon2';

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane. The package's default algorithm is argon2id.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Checked against when the user is unknown, so that the answer takes as long; made before anybody asks. */
const nobody = hashPassword('no such user');

/** Whether the password fits; takes as long when there is no such user. */
export async function passwordFits(stored: string | null | undefined, password: string): Promise<boolean> {
  const fits = await verify(stored ?? (await nobody), password);
  return fits && stored !== null && stored !== undefined;
}
