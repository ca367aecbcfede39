/** Loopback ports for the parts: free ones, and where possible the same ones at every start. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range from which systems hand out ports for outgoing connections, so that they stay free between starts. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** The preferred port where it is free, else any free one. */
export async function freePort(preferred?: number, host = '127.0.0.1'): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred, host))) return preferred;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port, host)) return port;
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST} on ${host}`);
}

/** Whether this process could listen there now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
