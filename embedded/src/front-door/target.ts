/** The address of a service instance, and its name in socket.io session ids. */
import { createHash } from 'node:crypto';

export type Target = { host: string; port: number };

/**
 * Returns the prefix of the ids of an instance's socket.io sessions. Every front door computes the same prefix from the
 * address.
 */
export const instanceName = ({ host, port }: Target): string =>
  createHash('sha256').update(`${host}:${port}`).digest('hex').slice(0, 8);
