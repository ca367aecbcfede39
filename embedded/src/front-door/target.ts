/** Where an instance of a service listens, and how its socket.io sessions name it. */
import { createHash } from 'node:crypto';

export type Target = { host: string; port: number };

/** Begins the ids of the socket.io sessions that an instance opens; the same at every front door that has its address. */
export const instanceName = ({ host, port }: Target): string =>
  createHash('sha256').update(`${host}:${port}`).digest('hex').slice(0, 8);
