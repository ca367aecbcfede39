/** Loopback ports for the parts: free ones, and if possible the same ones at every start. */
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Below the range that systems use for outgoing connections, so that they stay free between starts. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Returns the preferred port if it is free, else any free one. */
export async function freePort(preferred?: number, host = '127.0.0.1'): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred, host)) === undefined) return preferred;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await tryPort(port, host)) === undefined) return port;
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST} on ${host}`);
}

/** Returns undefined if this process can listen there now, else the system's error code: `EADDRINUSE`, `EACCES`, … */
export function tryPort(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/**
 * Returns a free loopback port for each name; the one stored in the file if it is still free. The public port is free too at
 * this time, and never among them.
 */
export async function allocatePorts<Name extends string>(
  path: string,
  names: readonly Name[],
  publicPort: number,
): Promise<Record<Name, number>> {
  const previous: Record<string, number> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const ports: Record<string, number> = {};
  for (const name of names) {
    let port = await freePort(previous[name]);
    while (port === publicPort || Object.values(ports).includes(port)) port = await freePort();
    ports[name] = port;
  }
  if (names.every((name) => ports[name] === previous[name])) return ports as Record<Name, number>;
  // Replaces the file as a whole: the disk may be full.
  writeFileSync(`${path}.new`, `${JSON.stringify(ports, null, 2)}\n`);
  renameSync(`${path}.new`, path);
  return ports as Record<Name, number>;
}
