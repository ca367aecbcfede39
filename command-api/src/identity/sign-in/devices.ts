/** Devices: browsers on which somebody signed in before, known by a cookie of which the hash is kept. */
import { createHash, randomBytes } from 'node:crypto';
import type { Client } from '@rdm/platform';

/** As long as browsers keep a cookie at most. */
export const DEVICE_DAYS = 400;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The hash that a cookie is looked up by; of no cookie, one that no device has. */
export const deviceHash = (token: string | undefined): Buffer =>
  token === undefined ? Buffer.alloc(0) : hashOf(token);

/**
 * Remembers the browser for a person and answers the token its cookie holds. People who share a browser share its
 * token; one that we did not give is never taken over.
 */
export async function rememberDevice(client: Client, userId: number, token: string | undefined): Promise<string> {
  const ours = await client.query('SELECT FROM identity.devices WHERE hash = $1 LIMIT 1', [deviceHash(token)]);
  const known = token !== undefined && ours.rowCount === 1 ? token : randomBytes(32).toString('base64url');
  await client.query(
    `INSERT INTO identity.devices (hash, user_id) VALUES ($1, $2)
     ON CONFLICT (hash, user_id) DO UPDATE SET last_used_at = now()`,
    [hashOf(known), userId],
  );
  return known;
}

/** Forgets the devices of a person, but for the one they are at: who had the password before may have been at the others. */
export async function forgetDevices(client: Client, userId: number, except?: string): Promise<void> {
  await client.query('DELETE FROM identity.devices WHERE user_id = $1 AND hash <> $2', [userId, deviceHash(except)]);
}
