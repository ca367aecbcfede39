/** Tests the embedded PostgreSQL: its database, its rights, and its starts after failures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBinaries } from './binaries.ts';
import { runAlone } from './cluster.ts';
import { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres.ts';
import { prefixTest, unprivilegedRunner } from './unprivileged.ts';

const running = new Set<{ stop(): Promise<void> }>();
let folder: string;
let dir: string;

beforeAll(() => {
  // These tests create clusters themselves.
  vi.stubEnv('CLUSTER_TEMPLATE', undefined);
  folder = mkdtempSync(join(tmpdir(), 'rdm-postgres-'));
  chmodSync(folder, 0o700);
  dir = join(folder, 'postgres');
});
afterEach(async () => {
  for (const server of running) await server.stop();
  running.clear();
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const server = await startPostgres({ dir, log: () => {}, ...options });
  running.add(server);
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // some of these tests kill the server
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Starts the server in another process, which a test can kill. */
async function startElsewhere(): Promise<{ owner: ChildProcess; url: string; pid: number }> {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(fileURLToPath(new URL('../../dist/postgres/postgres.js', import.meta.url)))});
    const server = await startPostgres({ dir: ${JSON.stringify(dir)}, log: () => {} });
    console.log(JSON.stringify({ url: server.url, pid: server.pid }));`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: owner.stdout })) return { owner, ...JSON.parse(line) };
  throw new Error('The other process ended before its server was ready');
}

describe('the embedded PostgreSQL', { timeout: 60_000 }, () => {
  it('serves a durable, checksummed database to a role that is no superuser', async () => {
    const { url } = await start();
    const [row] = await query(
      url,
      `SELECT current_database() AS name, rolsuper, current_setting('data_checksums') AS checksums,
              current_setting('fsync') AS fsync, lower('ÄÖÉ') AS lower
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(row).toEqual({ name: 'rdm', rolsuper: false, checksums: 'on', fsync: 'on', lower: 'äöé' });
  });

  it('lets the application create the extensions it uses', async () => {
    const { url } = await start();
    await query(url, 'CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS btree_gin');
    const rows = await query(url, `SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname`);
    expect(rows).toEqual([{ extname: 'btree_gin' }, { extname: 'pg_trgm' }]);
  });

  it('grants the rights that a purge needs, also on a cluster of an earlier version', async () => {
    const expectRightsOfPurge = async () => {
      const { url, stop } = await start();
      for (const statement of ['CHECKPOINT', 'SELECT pg_switch_wal()', 'VACUUM (FULL) pg_statistic']) {
        await query(url, statement);
      }
      expect(await query(url, `SELECT current_setting('wal_recycle') AS recycles`)).toEqual([{ recycles: 'off' }]);
      await stop();
    };
    await expectRightsOfPurge();

    const binaries = await findBinaries();
    const runner = unprivilegedRunner(prefixTest(binaries.postgres, folder));
    const revocations = [
      'REVOKE pg_checkpoint, pg_maintain FROM rdm',
      'REVOKE EXECUTE ON FUNCTION pg_switch_wal() FROM rdm',
    ];
    await runAlone(dir, 'rdm', revocations, binaries, runner);
    await expect(expectRightsOfPurge()).rejects.toThrow(/permission denied/);
    for (const server of running) await server.stop();

    const { grants, ...earlier } = JSON.parse(readFileSync(join(dir, 'embedded.json'), 'utf8'));
    expect(grants).toBeTypeOf('number');
    writeFileSync(join(dir, 'embedded.json'), JSON.stringify(earlier), { mode: 0o600 });
    await expectRightsOfPurge();
  });

  it('requires the password and hides it from other users', async () => {
    const { url } = await start();
    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
      /password authentication failed/,
    );
    expect(statSync(join(dir, 'embedded.json')).mode & 0o077).toBe(0);
  });

  it('restarts on the same port with the same data', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('refuses to start on data that another server uses', async () => {
    const { url } = await start();
    await expect(startPostgres({ dir, log: () => {} })).rejects.toThrow(`in use by process ${process.pid}`);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('copies a given cluster, with separate data and port', async () => {
    const template = await start();
    await template.stop();
    vi.stubEnv('CLUSTER_TEMPLATE', dir);
    const copy = await start({ dir: join(folder, 'copy') });
    vi.stubEnv('CLUSTER_TEMPLATE', undefined);
    const original = await start();
    expect(copy.port).not.toBe(original.port);
    await query(copy.url, 'CREATE TABLE copied AS SELECT 1 AS one');
    await expect(query(original.url, 'SELECT one FROM copied')).rejects.toThrow(/does not exist/);
    vi.stubEnv('CLUSTER_TEMPLATE', folder);
    await expect(start({ dir: join(folder, 'none') })).rejects.toThrow(`${folder}, which is not a cluster`);
    vi.stubEnv('CLUSTER_TEMPLATE', undefined);
  });

  it('restarts after its server was killed', async () => {
    const killed = await start();
    process.kill(killed.pid, 'SIGKILL');
    expect(await killed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('restarts after the process that owned it was killed', async () => {
    const { owner, url } = await startElsewhere();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const again = await start();
    expect(again.url).toBe(url);
    expect(await query(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('restarts after its owner was killed while the server was suspended', async () => {
    const { owner, pid } = await startElsewhere();
    process.kill(pid, 'SIGSTOP'); // suspended, so that it does not react to the death of its owner
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    process.kill(pid, 'SIGCONT');
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('ignores a stale pid file whose pid belongs to another program', async () => {
    await (await start()).stop();
    writeFileSync(join(dir, 'postmaster.pid'), `${process.ppid}\n${dir}\n0\n5432\n\n127.0.0.1\n0 0\nready\n`);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts after an interrupted creation of the cluster', async () => {
    const half = join(folder, 'half');
    mkdirSync(`${half}.new`);
    writeFileSync(join(`${half}.new`, 'PG_VERSION'), '17\n');
    const { url } = await start({ dir: half });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')('as root', () => {
    it('runs as user "nobody" while user namespaces are forbidden', async () => {
      const forbidden = join(folder, 'forbidden');
      const runner = unprivilegedRunner(([first]) => first !== 'unshare');
      const asNobody = await start({ dir: forbidden, runner });
      expect(statSync(`/proc/${asNobody.pid}`).uid).toBe(65534);
      await asNobody.stop();
      const { url } = await start({ dir: forbidden });
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    it('runs in a private folder of another user', async () => {
      const foreign = join(folder, 'foreign');
      mkdirSync(foreign, { mode: 0o700 });
      chownSync(foreign, 12_345, 12_345);
      const { url } = await start({ dir: join(foreign, 'postgres') });
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });
  });
});
