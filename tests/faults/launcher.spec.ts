/** kill -9 of every part and of the launcher: the product recovers without help or at the next start, and no acknowledged write is lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { freePort } from '@rdm/embedded/launcher/ports';
import { programUrl } from '@rdm/platform/service/programs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { keepLogs, startTestStack, type TestStack } from '../test-stack.ts';

const PASSWORD = 'Correct-Horse-7';
const LAUNCHER = fileURLToPath(programUrl('embedded/dist/launcher.main.js'));
const PATIENCE = { timeout: 60_000, interval: 100 };
const LONG = process.env['FAULTS'] === 'long';
/** The number of types that the test creates before it kills a part, and while the part is down. */
const BEFORE_KILL = LONG ? 5 : 2;
const DURING_KILL = LONG ? 20 : 10;
const LAUNCHER_KILLS = LONG ? 3 : 1;

/** An administrator whose requests are repeated under the same key until there is an answer. */
class Administrator {
  readonly acknowledged: string[] = [];
  readonly #baseUrl: string;
  #cookie = '';

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async signIn(): Promise<void> {
    const answer = await this.#insist('/api/login', { username: 'admin', password: PASSWORD });
    this.#cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  async createType(): Promise<void> {
    const name = `Type ${randomUUID()}`;
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    await this.#insist('/api/reference-types', { name, description: 'Written between kills', schemas });
    this.acknowledged.push(name);
  }

  async typeNames(): Promise<string[]> {
    const answer = await fetch(`${this.#baseUrl}/api/reference-types`, { headers: { Cookie: this.#cookie } });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
  }

  /** Expects each acknowledged type exactly once: none is lost, and no repeated request created a second one. */
  async expectAcknowledgedTypes(): Promise<void> {
    await vi.waitFor(async () => {
      const names = (await this.typeNames()).filter((name) => name.startsWith('Type '));
      expect(names.sort()).toEqual([...this.acknowledged].sort());
    }, PATIENCE);
  }

  async #insist(path: string, body: unknown): Promise<Response> {
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      Origin: this.#baseUrl,
      Cookie: this.#cookie,
    };
    for (const deadline = Date.now() + PATIENCE.timeout; ; await pause(50)) {
      const request = fetch(this.#baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = await request.catch((error: Error) => error);
      if (!(answer instanceof Error) && answer.ok) return answer;
      const why = answer instanceof Error ? answer.message : `${answer.status} ${await answer.text()}`;
      const isTransient = answer instanceof Error || answer.status === 503 || why.includes('IN_PROGRESS');
      if (!isTransient || Date.now() > deadline) throw new Error(`${path}: ${why}`);
    }
  }
}

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

  it('leaves a product that serves completely after the kills of all parts', async () => {
    await vi.waitFor(async () => expect((await fetch(`${stack.baseUrl}/health/ready`)).status).toBe(200), PATIENCE);
  });
});

describe('the embedded event store', { timeout: 120_000 }, () => {
  it('refuses appends of other programs while the product works', async () => {
    const [withoutPassword = ''] = stack.eventStoreUrl.split('&');
    const unauthenticated = EventStoreDBClient.connectionString(withoutPassword);
    const event = jsonEvent({ type: 'RoleGranted', data: {} });
    await expect(unauthenticated.appendToStream('access-main', event)).rejects.toThrow(/UNAUTHENTICATED/);
    await unauthenticated.dispose();
    await administrator.createType();
    await administrator.expectAcknowledgedTypes();
  });

  it('keeps its password out of command lines and logs, in a file of its owner', async () => {
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
  const launched = new Set<ChildProcess>();
  let dataDir: string;
  let port: number;
  let administrator: Administrator;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'rdm-launcher-'));
    port = await freePort();
    administrator = new Administrator(`http://127.0.0.1:${port}`);
  });
  afterEach(() => {
    for (const launcher of launched) launcher.kill('SIGKILL');
  });
  afterAll(() => {
    keepLogs(dataDir, 'launcher');
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Starts the launcher as `npm start` does after its build, and waits until the product serves. */
  async function launch(settings: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const own = { DATA_DIR: dataDir, PORT: String(port), ADMIN_PASSWORD: PASSWORD, SAMPLE_DATA: 'off' };
    const launcher = spawn(process.execPath, [LAUNCHER], {
      env: { ...process.env, ...own, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    launched.add(launcher);
    launcher.once('exit', () => launched.delete(launcher));
    const lines: string[] = [];
    launcher.stderr.on('data', (text) => lines.push(String(text)));
    for await (const line of createInterface({ input: launcher.stdout })) {
      lines.push(line);
      if (!line.startsWith('Ready in ')) continue;
      launcher.stdout.resume();
      return launcher;
    }
    throw new Error(`The launcher ended before it served:\n${lines.join('\n')}`);
  }

  it('starts again after a kill -9 without a lost write, and stops all parts on Ctrl-C', async () => {
    for (let round = 0; round < LAUNCHER_KILLS; round++) {
      const launcher = await launch();
      await administrator.signIn();
      await administrator.expectAcknowledgedTypes();
      for (let count = 0; count < 10; count++) await administrator.createType();
      launcher.kill('SIGKILL');
      await once(launcher, 'exit');
    }

    const launcher = await launch();
    await administrator.signIn();
    await administrator.expectAcknowledgedTypes();
    await administrator.createType();
    launcher.kill('SIGINT');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
    expect(processesWith(dataDir, ['cmdline', 'environ'])).toEqual([]);
  });

  /** Uses the data of the previous test, whose last event defines a type. */
  it('refuses a log that lost its last event until its end is accepted, and an older copy of the log', async () => {
    const log = join(dataDir, 'event-store');
    const older = join(dataDir, 'older-event-store');
    cpSync(log, older, { recursive: true });
    const newest = join(log, readdirSync(log).findLast((name) => name.endsWith('.log')) ?? '');
    truncateSync(newest, statSync(newest).size - 1);

    const refusal = String(await launch().catch((error: Error) => error));
    expect(refusal).toMatch(/event-store could not be started: .* events up to position \d+ were acknowledged/);
    expect(refusal).not.toContain('starting it again');
    const [, end] = /ACCEPT_LOG_END=(\d+)/.exec(refusal) ?? [];
    const second = await launch({ ACCEPT_LOG_END: end });
    await administrator.signIn();
    administrator.acknowledged.pop();
    for (let count = 0; count < 3; count++) await administrator.createType();
    await administrator.expectAcknowledgedTypes();
    second.kill('SIGINT');
    await once(second, 'exit');

    rmSync(log, { recursive: true });
    renameSync(older, log);
    expect(String(await launch().catch((error: Error) => error))).toMatch(
      /projector could not be started: The event log ends .* the read models hold events up to position \d+/,
    );
  });
});

/** Returns the pids whose command line or environment contains the text; none where the platform has no /proc. */
function processesWith(text: string, files: string[]): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return files.some((file) => readFileSync(`/proc/${name}/${file}`, 'utf8').includes(text));
    } catch {
      return false; // The process has ended.
    }
  });
}
