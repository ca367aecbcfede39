/** Devices: browsers in which a user signed in before, identified by a cookie whose hash is stored. */
import { createHash, randomBytes } from 'node:crypto';
import type { Client } from '@rdm/platform';

/** The longest lifetime that browsers allow for a cookie. */
export const DEVICE_DAYS = 400;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the hash of the token in the cookie; without a cookie, a hash that no device has. */
export const deviceHash = (token: string | undefined): Buffer =>
  token === undefined ? Buffer.alloc(0) : hashOf(token);

/**
 * Stores the browser as a device of the user, and returns the token for the cookie. All users of a browser share one
 * token. A token that no stored device has is replaced.
 */
export async function rememberDevice(client: Client, userId: number, token: string | undefined): Promise<string> {
  const existing = await client.query('SELECT FROM identity.devices WHERE hash = $1 LIMIT 1', [deviceHash(token)]);
  const deviceToken = token !== undefined && existing.rowCount === 1 ? token : randomBytes(32).toString('base64url');
  await client.query(
    `INSERT INTO identity.devices (hash, user_id) VALUES ($1, $2)
     ON CONFLICT (hash, user_id) DO UPDATE SET last_used_at = now()`,
    [hashOf(deviceToken), userId],
  );
  return deviceToken;
}

/**
 * Deletes the user's devices after a change of the password, because another person who knew the old password may have
 * used them. The device with the token `except` remains; without `except`, all devices are deleted.
 */
export async function deleteDevices(client: Client, userId: number, except?: string): Promise<void> {
  await client.query('DELETE FROM identity.devices WHERE user_id = $1 AND hash <> $2', [userId, deviceHash(except)]);
}
