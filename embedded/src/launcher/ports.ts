/** Finds free loopback ports for the parts, if possible the same ports at every start. */
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** The range of ports. It is below the ports of outgoing connections, so that the ports stay free between starts. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Returns the preferred port if it is free, or else a random free port of the range. */
export async function freePort(preferred?: number, host = '127.0.0.1'): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred, host)) === undefined) return preferred;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await tryPort(port, host)) === undefined) return port;
  }
  throw new Error(`Found no free port between ${LOWEST} and ${HIGHEST} on ${host}`);
}

/** Returns the error code, such as `EADDRINUSE`, if this process cannot listen on the port now; otherwise undefined. */
export function tryPort(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/**
 * Returns a free loopback port for each name, and stores the ports in the file for the next start. Never returns the
 * public port, even if it is free now.
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
  // The old file stays complete if the disk is full.
  writeFileSync(`${path}.new`, `${JSON.stringify(ports, null, 2)}\n`);
  renameSync(`${path}.new`, path);
  return ports as Record<Name, number>;
}
