/** Tests the product while the disk of its event store is full, and afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { HttpClient } from '../stories/http-client.ts';
import { startTestStack, type TestStack } from '../test-stack.ts';

const PASSWORD = 'Full-disk-1';
const PATIENCE = { timeout: 60_000, interval: 100 };
const main = fileURLToPath(new URL('../dist/conformance/failing-disk.main.js', import.meta.url));

let dir: string;
let store: EventStoreProcess;
let stack: TestStack;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rdm-full-disk-'));
  store = await startEventStoreProcess({ dir, main, output: 'pipe' });
  stack = await startTestStack('full-disk', { adminPassword: PASSWORD, eventStoreUrl: store.url });
});
afterAll(async () => {
  await stack?.stop();
  await store?.stop();
  rmSync(dir, { recursive: true, force: true });
});

it('the product refuses writes, serves reads and reports the full disk until space is free again', async () => {
  const admin = new HttpClient(stack.baseUrl);
  await admin.signIn('admin', PASSWORD);
  const typeOf = (name: string) => ({ name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] });
  await admin.post('/api/reference-types', typeOf('Before'));
  const readinessStatus = async () => (await fetch(`${stack.baseUrl}/health/ready`)).status;
  const readNames = async () =>
    (await admin.get('/api/reference-types')).body.map(({ name }: { name: string }) => name);

  writeFileSync(join(dir, 'full'), '');
  const key = 'meanwhile';
  const refused = await admin.post('/api/reference-types', typeOf('Meanwhile'), { key });
  expect([refused.status, refused.body.error]).toEqual([503, expect.stringMatching(/The disk of the server is full/)]);
  expect(await readNames()).toEqual(['Before']);
  const fullDiskProblem = /takes no appends because its disk is full/;
  await vi.waitFor(async () => {
    const ready = await fetch(`${stack.baseUrl}/health/ready`);
    expect(ready.status).toBe(503);
    expect((await ready.json()).parts['command-api'].appends).toMatch(fullDiskProblem);
  }, PATIENCE);
  expect((await admin.get('/api/monitor')).body.problems).toEqual([expect.stringMatching(fullDiskProblem)]);

  // A service that starts now serves requests that append nothing.
  await stack.parts['command-api']?.restart();
  expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
  expect((await admin.post('/api/reference-types', typeOf('Refused'))).status).toBe(503);

  rmSync(join(dir, 'full'));
  await vi.waitFor(async () => {
    expect((await admin.post('/api/reference-types', typeOf('Meanwhile'), { key })).status).toBe(201);
    expect(await readinessStatus()).toBe(200);
  }, PATIENCE);
  await vi.waitFor(
    async () => expect(await readNames()).toEqual(expect.arrayContaining(['Before', 'Meanwhile'])),
    PATIENCE,
  );
  expect((await admin.get('/api/monitor')).body.problems).toEqual([]);
});
