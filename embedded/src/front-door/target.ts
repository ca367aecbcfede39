/** The address of a service instance, and its name in socket.io session ids. */
import { createHash } from 'node:crypto';

export type Target = { host: string; port: number };

/** Prefix of the ids of the instance's socket.io sessions; equal at every front door with the same address. */
export const instanceName = ({ host, port }: Target): string =>
  createHash('sha256').update(`${host}:${port}`).digest('hex').slice(0, 8);
