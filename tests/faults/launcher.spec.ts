/**
 * Kills the launcher and each part except maintenance: the product recovers, and loses no acknowledged write. Also
 * tests the password of the embedded event store.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { Administrator, PASSWORD, PATIENCE } from './launcher/administrator.ts';
import { dataDir, launch, administrator as launchedAdministrator, useLauncher } from './launcher/launches.ts';

const LONG = process.env['FAULTS'] === 'long';
/** The numbers of types that the test creates before and during the kill of a part. */
const BEFORE_KILL = LONG ? 5 : 2;
const DURING_KILL = LONG ? 20 : 10;
const LAUNCHER_KILLS = LONG ? 3 : 1;

let stack: TestStack;
let administrator: Administrator;
beforeAll(async () => {
  stack = await startTestStack('launcher', { adminPassword: PASSWORD });
  administrator = new Administrator(stack.baseUrl);
  await administrator.signIn();
}, 120_000);
afterAll(() => stack?.stop());

describe('kill -9 of a part', { timeout: 120_000 }, () => {
  it.each(['front-door', 'query-api', 'command-api', 'projector', 'event-store', 'postgres'])(
    'restarts %s, and keeps every acknowledged write once',
    async (name) => {
      const part = stack.parts[name];
      if (part === undefined) throw new Error(`There is no part ${name}`);
      const [pid, starts] = [part.pid, part.starts];
      for (let count = 0; count < BEFORE_KILL; count++) await administrator.createType();
      const writing = Promise.all(Array.from({ length: DURING_KILL }, () => administrator.createType()));
      part.kill9();
      await writing;
      await part.ready();
      expect(part.starts).toBeGreaterThan(starts);
      expect(part.pid).not.toBe(pid);
      await administrator.expectAcknowledgedTypes();
    },
  );

  it('leaves the product ready', async () => {
    await vi.waitFor(async () => expect((await fetch(`${stack.baseUrl}/health/ready`)).status).toBe(200), PATIENCE);
  });
});

describe('the embedded event store', { timeout: 120_000 }, () => {
  it('refuses appends without its password', async () => {
    const [withoutPassword = ''] = stack.eventStoreUrl.split('&');
    const unauthenticated = EventStoreDBClient.connectionString(withoutPassword);
    const event = jsonEvent({ type: 'RoleGranted', data: {} });
    await expect(unauthenticated.appendToStream('access-main', event)).rejects.toThrow(/UNAUTHENTICATED/);
    await unauthenticated.dispose();
    await administrator.createType();
    await administrator.expectAcknowledgedTypes();
  });

  it('stores its password in a private file, not in command lines or logs', async () => {
    const file = join(stack.dataDir, 'event-store-password');
    const password = readFileSync(file, 'utf8').trim();
    expect(password).toMatch(/^[\w-]{43}$/);
    expect(stack.eventStoreUrl).toContain(password);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await stack.parts['event-store']?.restart();
    expect(processesWith(password, ['cmdline'])).toEqual([]);
    const logs = join(stack.dataDir, 'logs');
    for (const name of readdirSync(logs)) expect(readFileSync(join(logs, name), 'utf8')).not.toContain(password);
  });
});

describe('the launcher', { timeout: 120_000 }, () => {
  useLauncher();

  it('starts again after a kill -9 without a lost write, and stops all parts on Ctrl-C', async () => {
    for (let round = 0; round < LAUNCHER_KILLS; round++) {
      const launcher = await launch();
      await launchedAdministrator.signIn();
      await launchedAdministrator.expectAcknowledgedTypes();
      for (let count = 0; count < 10; count++) await launchedAdministrator.createType();
      launcher.kill('SIGKILL');
      await once(launcher, 'exit');
    }

    const launcher = await launch();
    await launchedAdministrator.signIn();
    await launchedAdministrator.expectAcknowledgedTypes();
    await launchedAdministrator.createType();
    launcher.kill('SIGINT');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
    expect(processesWith(dataDir, ['cmdline', 'environ'])).toEqual([]);
  });
});

/** Returns the ids of processes with the text in one of the named files of /proc; only on Linux. */
function processesWith(text: string, files: string[]): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return files.some((file) => readFileSync(`/proc/${name}/${file}`, 'utf8').includes(text));
    } catch {
      return false; // The process has ended, or its file may not be read.
    }
  });
}
