/** Devices: browsers in which a user signed in before, identified by a cookie whose hash is stored. */
import { createHash, randomBytes } from 'node:crypto';
import type { Client } from '@rdm/platform';

/** The longest lifetime that browsers allow for a cookie. */
export const DEVICE_DAYS = 400;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The hash to look up for a cookie; without a cookie, one that no device has. */
export const deviceHash = (token: string | undefined): Buffer =>
  token === undefined ? Buffer.alloc(0) : hashOf(token);

/**
 * Stores the browser as a device of the user; returns the token for its cookie. Users of the same browser share its
 * token; a token that was not issued here is replaced.
 */
export async function rememberDevice(client: Client, userId: number, token: string | undefined): Promise<string> {
  const existing = await client.query('SELECT FROM identity.devices WHERE hash = $1 LIMIT 1', [deviceHash(token)]);
  const known = token !== undefined && existing.rowCount === 1 ? token : randomBytes(32).toString('base64url');
  await client.query(
    `INSERT INTO identity.devices (hash, user_id) VALUES ($1, $2)
     ON CONFLICT (hash, user_id) DO UPDATE SET last_used_at = now()`,
    [hashOf(known), userId],
  );
  return known;
}

/**
 * Deletes the user's devices except the current one: someone else who knew the old password may have used the others.
 */
export async function deleteDevices(client: Client, userId: number, except?: string): Promise<void> {
  await client.query('DELETE FROM identity.devices WHERE user_id = $1 AND hash <> $2', [userId, deviceHash(except)]);
}
