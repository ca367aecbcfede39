/** Tests which ports the parts get. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { allocatePorts, freePort } from './ports.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-ports-'));
  path = join(folder, 'ports.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('allocatePorts returns the ports of the last start if they are free', async () => {
  const publicPort = await freePort();
  const ports = await allocatePorts(path, ['command-api', 'projector'], publicPort);
  expect(await allocatePorts(path, ['command-api', 'projector'], publicPort)).toEqual(ports);
});

it('allocatePorts never returns the public port, even while the port is free', async () => {
  const publicPort = await freePort();
  writeFileSync(path, JSON.stringify({ 'command-api': publicPort }));
  const ports = await allocatePorts(path, ['command-api'], publicPort);
  expect(ports['command-api']).not.toBe(publicPort);
});
