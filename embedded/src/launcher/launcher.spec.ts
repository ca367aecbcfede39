/** Tests the start, stop and kill of the launcher, with the real front door and substitutes for the services. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoadSampleData } from './first-start.ts';
import { type Launch, type LaunchOptions, prepareLaunch } from './launcher.ts';
import { PROGRAMS, type Programs } from './parts.ts';
import { freePort } from './ports.ts';
import { end, identify } from './running-processes.ts';
import { readSettings } from './settings.ts';

type Entry = {
  name: string;
  pid: number;
  did: 'start' | 'answer' | 'end';
  why?: string;
  url?: string;
  secret?: string;
  body?: string;
  env?: Record<string, string>;
};

let folder: string;
let dataDir: string;
let port: number;
let printed: string[];
let programs: Partial<Programs>;
const launches = new Set<Launch>();
const children = new Set<ChildProcess>();

async function prepareFolder(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'rdm-launcher-'));
  dataDir = join(folder, 'data');
  port = await freePort();
  printed = [];
  programs = {};
  for (const name of Object.keys(PROGRAMS) as (keyof Programs)[]) {
    if (name === 'front-door') continue;
    const copy = join(folder, `${name}.mjs`);
    copyFileSync(fileURLToPath(new URL('fixtures/service.mjs', import.meta.url)), copy);
    programs[name] = copy;
  }
}

async function removeFolder(): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const launch of launches) await launch.stop();
  launches.clear();
  // The processes of a killed launcher write to the folder until they end.
  for (const pid of new Set(readJournal().map((entry) => entry.pid))) {
    const leftover = pid === process.pid ? undefined : identify(pid);
    if (leftover) await end(leftover, []);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Gives each test of a group its own folder, because each test starts the product. */
function useOwnFolders(): void {
  beforeEach(prepareFolder);
  afterEach(removeFolder);
}

const environment = (more: NodeJS.ProcessEnv = {}) => ({
  PATH: process.env['PATH'],
  JOURNAL: join(folder, 'journal'),
  PORT: String(port),
  DATA_DIR: dataDir,
  // The database has its own tests; no substitute of a service uses it.
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  SAMPLE_DATA: 'off',
  ADMIN_PASSWORD: 'Correct-Horse-7',
  ...more,
});

async function prepare(more: NodeJS.ProcessEnv = {}, options: Partial<LaunchOptions> = {}): Promise<Launch> {
  const env = environment(more);
  const print = (line: string) => void printed.push(line);
  const launch = await prepareLaunch({ settings: readSettings(env), env, print, programs, ...options });
  launches.add(launch);
  return launch;
}

async function start(more: NodeJS.ProcessEnv = {}, options: Partial<LaunchOptions> = {}): Promise<Launch> {
  const launch = await prepare(more, options);
  await launch.start();
  return launch;
}

async function stop(launch: Launch): Promise<void> {
  await launch.stop();
  launches.delete(launch);
}

function readJournal(): Entry[] {
  const path = join(folder, 'journal');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}
const starts = (name: string) => readJournal().filter((entry) => entry.name === name && entry.did === 'start');
const answeredRequests = () =>
  readJournal().flatMap(({ did, url, body }) => (did === 'answer' ? [`${url} ${body}`] : []));
const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
const readFile = (name: string) => readFileSync(join(dataDir, name), 'utf8');

describe('a started product', () => {
  let launch: Launch;
  beforeAll(async () => {
    await prepareFolder();
    launch = await start({ MAIL_FROM: 'data@example.org', REGISTATION: 'off' });
  });
  afterAll(removeFolder);

  it('passes settings to every service, and the administrator’s password only to command-api', async () => {
    expect(await statusOf('/health/ready')).toBe(200);
    for (const name of ['command-api', 'projector', 'query-api']) {
      const env = starts(name)[0]?.env;
      expect(env).toMatchObject({
        HOST: '127.0.0.1',
        EVENTSTORE_URL: launch.eventStoreUrl,
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        DATA_DIR: dataDir,
        NODE_ENV: 'production',
        MAIL_FROM: 'data@example.org',
        SESSION_SECRET: expect.stringMatching(/^.{43}$/),
        SERVICE_SECRET: expect.stringMatching(/^.{43}$/),
      });
      expect(env?.['ADMIN_PASSWORD']).toBe(name === 'command-api' ? 'Correct-Horse-7' : undefined);
    }
    expect(starts('event-store')[0]?.env).not.toHaveProperty('ADMIN_PASSWORD');
  });

  it('reports a misspelt setting', () => {
    expect(printed).toContain('REGISTATION is not a setting, so it has no effect. Did you mean REGISTRATION?');
  });

  it('does not require a change of a configured password', () => {
    expect(answeredRequests()).toEqual(['/internal/bootstrap/finish {"requirePasswordChange":false}']);
    expect(existsSync(join(dataDir, 'first-sign-in.txt'))).toBe(false);
  });

  it('writes the output of the front door to its own log file', () => {
    expect(readFile('logs/front-door.log')).toContain('The front door listens');
  });

  it('continues when a second instance on the same data is refused', async () => {
    await expect(prepare({ PORT: String(await freePort()) })).rejects.toThrow(/in use by another instance/);
    expect(await statusOf('/health/ready')).toBe(200);
  });

  it('restarts a killed part, and reports why the part ended', async () => {
    const before = starts('query-api').length;
    launch.parts['query-api']?.kill9();
    await launch.parts['query-api']?.ready();
    expect(starts('query-api')).toHaveLength(before + 1);
    expect(await statusOf('/health/ready')).toBe(200);
    expect(printed.join('\n')).toMatch(/query-api +ended \(killed by SIGKILL\)/);
    expect(starts('command-api')).toHaveLength(1);
  });

  it('restarts a killed front door with query-api in the same process', async () => {
    const before = starts('query-api').length;
    launch.parts['front-door']?.kill9();
    await launch.parts['front-door']?.ready();
    await launch.parts['query-api']?.ready();
    expect(starts('query-api')).toHaveLength(before + 1);
    expect(starts('query-api').at(-1)?.pid).toBe(launch.parts['front-door']?.pid);
    expect(await statusOf('/api/user')).toBe(200);
  });

  it('stops the event store last', async () => {
    await stop(launch);
    // The part maintenance may not have started yet.
    const order = readJournal().filter(({ did, name }) => did === 'end' && name !== 'maintenance');
    expect(order.map(({ name }) => name).slice(-2)).toEqual(['projector', 'event-store']);
    expect(order.map(({ why }) => why)).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM', 'SIGTERM']);
    await expect(statusOf('/health/live')).rejects.toThrow();
  });
});

describe('starting', () => {
  useOwnFolders();

  it('uses a configured event store, and starts none', async () => {
    await start({ EVENTSTORE_URL: 'esdb://elsewhere:2113?tls=false' });
    expect(starts('event-store')).toEqual([]);
    expect(starts('projector')[0]?.env?.['EVENTSTORE_URL']).toBe('esdb://elsewhere:2113?tls=false');
    expect(existsSync(join(dataDir, 'event-store-password'))).toBe(false);
  });

  it('creates a new password for the event store at each start', async () => {
    const first = await start();
    expect(first.eventStoreUrl).toContain(`&connectionName=${readFile('event-store-password').trim()}`);
    await stop(first);
    rmSync(join(dataDir, 'event-store-password'));
    const second = await start();
    expect(second.eventStoreUrl).toContain(`&connectionName=${readFile('event-store-password').trim()}`);
    expect(second.eventStoreUrl).not.toBe(first.eventStoreUrl);
    expect(statSync(join(dataDir, 'event-store-password')).mode & 0o777).toBe(0o600);
    expect(starts('event-store')[1]?.env).not.toHaveProperty('EVENTSTORE_URL');
  });

  it('keeps secrets and ports between starts', async () => {
    const first = await start();
    await stop(first);
    await stop(await start());
    const [before, after] = starts('query-api').map(({ env }) => env);
    expect(after?.['SESSION_SECRET']).toBe(before?.['SESSION_SECRET']);
    expect(after?.['PORT']).toBe(before?.['PORT']);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o077).toBe(0);
  });

  it('fails if the port is in use, names the setting, and starts nothing', async () => {
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    await expect(prepare()).rejects.toThrow(new RegExp(`Port ${port} is in use.*PORT=${port + 1}`));
    expect(readJournal()).toEqual([]);
    await new Promise((closed) => other.close(closed));
    await start();
  });

  it('fails if the host is not an address of this machine, and names the setting', async () => {
    await expect(prepare({ HOST: '192.0.2.1' })).rejects.toThrow(/HOST is "192\.0\.2\.1"/);
  });

  it('reports why a part cannot start, with its last error and the end of its log', async () => {
    const launch = await prepare({ FAILING: 'projector' }, { backoff: () => 1 });
    await expect(launch.start()).rejects.toThrow(
      /projector failed 10 times in a row: exit code 3.*cannot work like this/s,
    );
    expect(printed.join('\n')).toContain('ended (exit code 3: The store refuses it); starting it again');
  });
});

describe('an event log shorter than its checkpoint', () => {
  useOwnFolders();

  beforeEach(() => {
    programs['event-store'] = PROGRAMS['event-store'];
    const checkpoint = Buffer.alloc(12);
    checkpoint.writeBigUInt64LE(5_000n);
    checkpoint.writeUInt32LE(crc32(checkpoint.subarray(0, 8)), 8);
    mkdirSync(join(dataDir, 'event-store'), { recursive: true });
    writeFileSync(join(dataDir, 'event-store', 'checkpoint'), checkpoint);
  });

  it('ends the start immediately, with a message about the missing events and the remedy', async () => {
    const launch = await prepare();
    await expect(launch.start()).rejects.toThrow(
      /event-store could not be started: .*the log has no events, but events up to position 5000 were acknowledged\..*ACCEPT_LOG_END=0/,
    );
    expect(launch.parts['event-store']?.starts).toBe(1);
    expect(printed.join()).not.toContain('starting it again');
  });

  it('is used if its end is accepted, and command-api starts only after the projector', async () => {
    await start({ ACCEPT_LOG_END: '0' });
    const order = readJournal().flatMap(({ name, did }) => (did === 'start' ? [name] : []));
    expect(order.indexOf('command-api')).toBeGreaterThan(order.indexOf('projector'));
    expect(starts('projector')[0]?.env).toMatchObject({ ACCEPT_LOG_END: '0' });
  });
});

describe('the first sign-in', () => {
  useOwnFolders();

  it('uses a password that is printed once and must be changed', async () => {
    const launch = await start({ ADMIN_PASSWORD: '' });
    expect(answeredRequests()).toEqual(['/internal/bootstrap/finish {"requirePasswordChange":true}']);
    const password = /admin\s+(\S{16})/.exec(readFile('first-sign-in.txt'))?.[1] ?? '';
    expect(starts('command-api')[0]?.env).toMatchObject({ ADMIN_PASSWORD: password });
    expect(printed.join('\n')).toContain(password);
    expect(statSync(join(dataDir, 'first-sign-in.txt')).mode & 0o777).toBe(0o600);
    await stop(launch);

    printed = [];
    await start({ ADMIN_PASSWORD: '' });
    expect(printed.join('\n')).not.toContain(password);
    expect(printed.join('\n')).toContain(join(dataDir, 'first-sign-in.txt'));
    expect(starts('command-api')[1]?.env).not.toHaveProperty('ADMIN_PASSWORD');
    expect(answeredRequests()).toHaveLength(1);
  });

  it('is not possible while sample data are being loaded', async () => {
    const statuses: number[] = [];
    const loadSampleData: LoadSampleData = async ({ baseUrl }) => {
      statuses.push(
        await statusOf('/api/login'),
        await statusOf('/health/ready'),
        (await fetch(`${baseUrl}/api/user`)).status,
      );
    };
    await start({ SAMPLE_DATA: 'on' }, { sampleDataLoader: async () => loadSampleData });
    expect(statuses).toEqual([503, 503, 200]);
    expect(await statusOf('/api/login')).toBe(200);
  });
});

describe('sample data', () => {
  useOwnFolders();

  const loaded: Parameters<LoadSampleData>[0][] = [];
  const loader = {
    sampleDataLoader: async (): Promise<LoadSampleData> => async (options) => void loaded.push(options),
  };
  const failing = {
    sampleDataLoader: async (): Promise<LoadSampleData> => () => Promise.reject(new Error('a row is odd')),
  };
  beforeEach(() => void loaded.splice(0));

  it('are loaded once', async () => {
    await stop(await start({ SAMPLE_DATA: 'on', ADMIN_PASSWORD: '' }, loader));
    await start({ SAMPLE_DATA: 'on', ADMIN_PASSWORD: '' }, loader);
    expect(loaded).toHaveLength(1);
    expect(readFile('first-sign-in.txt')).toContain(loaded[0]?.adminPassword);
    expect(readFile('first-sign-in.txt')).toMatch(
      new RegExp(`steward +${loaded[0]?.samplePassword.replace(/[+?]/g, '\\$&')} `),
    );
    expect(answeredRequests()).toEqual(['/internal/bootstrap/finish {"requirePasswordChange":true}']);
  });

  it('use the configured password, which is not saved', async () => {
    await start({ SAMPLE_DATA: 'on', SAMPLE_PASSWORD: 'Sample-Horse-8' }, loader);
    expect(loaded[0]).toMatchObject({ adminUsername: 'admin', samplePassword: 'Sample-Horse-8' });
    expect(existsSync(join(dataDir, 'first-sign-in.txt'))).toBe(false);
  });

  it('do not prevent the start if loading fails, and are loaded at the next start', async () => {
    const first = await start({ SAMPLE_DATA: 'on', ADMIN_PASSWORD: '' }, failing);
    expect(printed.join('\n')).toContain('Sample data could not be loaded: a row is odd');
    expect(await statusOf('/health/ready')).toBe(200);
    await stop(first);
    await start({ SAMPLE_DATA: 'on', ADMIN_PASSWORD: '' }, loader);
    expect(loaded).toHaveLength(1);
    expect(answeredRequests().slice(1)).toEqual([
      expect.stringMatching(/^\/api\/login /),
      '/internal/bootstrap/finish {"requirePasswordChange":false}',
      '/internal/bootstrap/finish {"requirePasswordChange":true}',
    ]);
  });
});

describe('running', () => {
  useOwnFolders();

  it('serves while one of several instances of a service is down', async () => {
    const launch = await start({}, { instances: 2, backoff: () => 60_000 });
    const addresses = (name: string) => starts(name).map(({ env }) => `http://127.0.0.1:${env?.['PORT']}`);
    expect(addresses('command-api').sort()).toEqual(launch.addresses['command-api'].toSorted());
    expect(addresses('query-api-process').sort()).toEqual(launch.addresses['query-api'].toSorted());
    expect(starts('query-api-process')[0]?.env).toMatchObject({
      COMMAND_API_URL: launch.addresses['command-api'].join(','),
      PROJECTOR_URL: launch.addresses.projector.join(','),
    });
    launch.parts['query-api-2']?.kill9();
    for (let time = 0; time < 4; time++) expect(await statusOf('/api/user')).toBe(200);
    expect(await statusOf('/health/ready')).toBe(200);
  });
});

describe('stopping', () => {
  useOwnFolders();

  it('works while the product is still starting', async () => {
    const launch = await prepare({}, { programs: { ...programs, projector: join(folder, 'none.mjs') } });
    launch.start().catch(() => {});
    await stop(launch);
    await expect(statusOf('/health/live')).rejects.toThrow();
  });

  it('works while query-api waits for the front door', async () => {
    const withoutFrontDoor = {
      programs: { ...programs, 'front-door': join(folder, 'none.mjs') },
      backoff: () => 60_000,
    };
    const launch = await prepare({}, withoutFrontDoor);
    launch.start().catch(() => {});
    for (const part of ['event-store', 'command-api', 'projector']) await launch.parts[part]?.ready();
    await stop(launch);
    expect(readJournal().filter(({ did }) => did === 'end')).toHaveLength(3);
  });
});

describe('a launcher that was killed', () => {
  useOwnFolders();

  /** Starts the product with a launcher in another process. */
  async function startElsewhere(): Promise<ChildProcess> {
    const script = `
      const { prepareLaunch } = await import(${JSON.stringify(fileURLToPath(new URL('../../dist/launcher/launcher.js', import.meta.url)))});
      const { readSettings } = await import(${JSON.stringify(fileURLToPath(new URL('../../dist/launcher/settings.js', import.meta.url)))});
      const launch = await prepareLaunch({
        settings: readSettings(process.env), env: process.env, print: () => {}, programs: ${JSON.stringify(programs)},
      });
      await launch.start();
      console.log('serving');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.add(child);
    expect(String((await once(child.stdout, 'data'))[0])).toBe('serving\n');
    return child;
  }

  it('leaves nothing that prevents the next start', async () => {
    const killed = await startElsewhere();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await start();
    expect(await statusOf('/health/ready')).toBe(200);
    for (const name of ['command-api', 'projector', 'query-api', 'event-store']) expect(starts(name)).toHaveLength(2);
  });

  it('leaves processes that the next start ends, even suspended ones', async () => {
    const killed = await startElsewhere();
    const stuck = starts('projector')[0]?.pid ?? 0;
    process.kill(stuck, 'SIGSTOP');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await start();
    expect(printed.join('\n')).toContain(`Stopping projector (process ${stuck}), left over from an earlier run`);
    expect(identify(stuck)).toBeUndefined();
  });

  it('is distinguished from a running launcher', async () => {
    const running = await startElsewhere();
    await expect(prepare()).rejects.toThrow(`process ${running.pid}`);
  });
});
