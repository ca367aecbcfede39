/** Tests the problems and the readiness of services. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readServiceHealth } from './service-problems.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serveReadiness(
  parts: Record<string, boolean | string | { warning: string }>,
  status = 503,
): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ parts }));
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const problemsOf = async (urls: Parameters<typeof readServiceHealth>[0]) => (await readServiceHealth(urls)).problems;

it('readServiceHealth lists only the problems that services report', async () => {
  const [disk, shortLog] = ['The disk is full.', 'The log is too short.'];
  const commands = await serveReadiness({ database: true, log: false, appends: disk });
  const projector = await serveReadiness({ projecting: shortLog });
  expect(await problemsOf({ COMMAND_API_URL: [commands], PROJECTOR_URL: [projector] })).toEqual([disk, shortLog]);
  expect(await problemsOf({ COMMAND_API_URL: [commands], PROJECTOR_URL: ['http://127.0.0.1:1'] })).toEqual([disk]);
  expect(await problemsOf({})).toEqual([]);
});

it('readServiceHealth lists the warning of a service that is ready', async () => {
  const projector = await serveReadiness({ projecting: true, locks: { warning: 'The projector waits.' } }, 200);
  expect(await readServiceHealth({ PROJECTOR_URL: [projector] })).toEqual({
    problems: ['The projector waits.'],
    commandApi: null,
    projector: true,
  });
});

it('readServiceHealth lists a problem of several instances once', async () => {
  const disk = 'The disk is full.';
  const instances = [await serveReadiness({ appends: disk }), await serveReadiness({ appends: disk })];
  expect(await problemsOf({ COMMAND_API_URL: instances })).toEqual([disk]);
});

it('readServiceHealth reports a service as ready if one of its instances is ready', async () => {
  const ready = await serveReadiness({}, 200);
  const starting = await serveReadiness({ log: false });
  const away = 'http://127.0.0.1:1';
  expect(await readServiceHealth({ COMMAND_API_URL: [away, ready], PROJECTOR_URL: [starting] })).toEqual({
    problems: [],
    commandApi: true,
    projector: false,
  });
  expect(await readServiceHealth({ PROJECTOR_URL: [ready] })).toEqual({
    problems: [],
    commandApi: null,
    projector: true,
  });
});
