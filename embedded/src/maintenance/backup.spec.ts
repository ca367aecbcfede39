/**
 * Tests backups of a real PostgreSQL and a real event store: their content, the lock that they share with scavenges,
 * and how they end.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { ADVISORY_LOCKS, loadSigningKey } from '@rdm/platform';
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { describe, expect, it, vi } from 'vitest';
import { startEventStoreProcess } from '../event-store/spawn.ts';
import { removeUnfinished } from './backup.ts';
import {
  append,
  backUp,
  folder,
  partsOf,
  pool,
  recordsOf,
  root,
  scavengeNow,
  server,
  signingKeyFile,
  source,
  startStores,
  store,
} from './fixtures/backed-up-stores.ts';
import type { BackupPart } from './format/entries.ts';
import { type LogSource, remoteLog } from './log-source.ts';
import { COPIED, LEFT_OUT, tablesToCopy } from './tables.ts';
import { verifyFile } from './verify-file.ts';

startStores();
const textOf = (parts: BackupPart[], table: string) =>
  parts
    .flatMap((part) => (part.kind === 'rows' && part.table.name === table ? [part.content.toString()] : []))
    .join('');
const addJob = (id: number) =>
  pool.query(`INSERT INTO jobs.logs (job_id, level, message) VALUES ($1, 'INFO', $2)`, [id, `line of job ${id}`]);

describe('the tables', () => {
  it('are each listed as copied or as excluded', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables
        WHERE schemaname IN ('identity', 'command', 'jobs', 'telemetry') ORDER BY 1`,
    );
    // A new table is added to one of the two lists in embedded/src/maintenance/tables.ts.
    expect(rows.map(({ name }) => name)).toEqual([...COPIED, ...Object.keys(LEFT_OUT)].sort());
  });

  it('are only in known schemas', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT DISTINCT schemaname AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    // A new schema either can be rebuilt from the log or is added to SCHEMAS in embedded/src/maintenance/tables.ts.
    expect(rows.map(({ name }) => name)).toEqual(['cache', 'command', 'identity', 'jobs', 'platform', 'telemetry']);
  });

  it('are copied after the tables that they reference', async () => {
    const tables = await tablesToCopy(pool);
    const positions = new Map(tables.map(({ name }, at) => [name, at]));
    const { rows } = await pool.query<{ from: string; to: string }>(
      `SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
        WHERE contype = 'f' AND conrelid <> confrelid`,
    );
    const references = rows.filter(({ from }) => positions.has(from));
    expect(references.length).toBeGreaterThan(5);
    for (const { from, to } of references)
      expect(positions.get(to), `${from} → ${to}`).toBeLessThan(positions.get(from) ?? 0);
  });

  it('are copied without generated columns', async () => {
    const tables = await tablesToCopy(pool);
    expect(tables.find(({ name }) => name === 'telemetry.missing_mappings')?.columns).not.toContain('source_hash');
  });

  it('that are unknown make a backup fail', async () => {
    await pool.query('CREATE TABLE jobs.of_a_newer_version (id int)');
    try {
      await expect(backUp()).rejects.toThrow('jobs.of_a_newer_version');
    } finally {
      await pool.query('DROP TABLE jobs.of_a_newer_version');
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the log', () => {
  it('contains only events, tombstones and metadata of the product, in log order', async () => {
    const records = recordsOf(await partsOf((await backUp()).fileName));
    const streams = records.map(({ stream, type, revision }) => `${stream} ${type} ${revision}`);
    expect(streams.slice(0, 34)).toEqual([
      ...Array.from({ length: 30 }, (_, at) => `dataSet-1 DataSetDetailsChanged ${at}`),
      ...Array.from({ length: 3 }, (_, at) => `dataSet-2 DataSetDetailsChanged ${at}`),
      '$$dataSet-1 $metadata 0',
    ]);
    expect(streams[34]).toBe('dataSet-2 $streamDeleted 9223372036854775807');
    expect(records[4]?.data.toString()).toBe(JSON.stringify({ at: 4, text: 'ä'.repeat(100) }));
  });

  it('has the same events in the segment files and over the protocol', async () => {
    const head = await store.head();
    const signal = new AbortController().signal;
    const readAll = async (from: LogSource): Promise<RawEvent[]> => {
      const events: RawEvent[] = [];
      for await (const batch of from.events(head?.commit ?? 0n, signal)) events.push(...batch);
      return events;
    };
    const files = await readAll(source);
    expect(files.length).toBeGreaterThan(30);
    expect(await readAll(remoteLog(store, server.url))).toEqual(files);
  });

  it('ends at the cut, without events that are appended during the backup', async () => {
    const before = await store.head();
    const sourceWithWrites: LogSource = {
      ...source,
      async *events(upTo, signal) {
        await append('dataSet-3', 50);
        yield* source.events(upTo, signal);
      },
    };
    const { cut, events, fileName } = await backUp({ source: sourceWithWrites });
    expect(cut.position).toBe(String(before?.commit));
    expect(recordsOf(await partsOf(fileName)).some(({ stream }) => stream === 'dataSet-3')).toBe(false);
    const later = await backUp();
    expect(later.events).toBe(events + 50);
    expect(later.cut.chainHash).not.toBe(cut.chainHash);
  });

  it('contains records that are longer than one read', async () => {
    // This is the largest append that the store accepts.
    await append('dataSet-4', 1, 524_190);
    await append('dataSet-4', 1);
    const records = recordsOf(await partsOf((await backUp()).fileName));
    expect(records.at(-2)?.data.length).toBeGreaterThan(1_048_000);
    expect(records.at(-1)).toMatchObject({ stream: 'dataSet-4', revision: 1n });
  });

  it('is refused if it lacks projected events', async () => {
    const setProjected = (position: string) =>
      pool.query('UPDATE platform.reader SET commit_position = $1', [position]);
    const end = (await store.head())?.commit ?? 0n;
    try {
      await setProjected(String(end + 1n));
      await expect(backUp()).rejects.toMatchObject({
        code: 'LOG_SHORTER',
        message: expect.stringContaining(
          `at position ${end}, but the read models hold events up to position ${end + 1n}`,
        ),
      });
      await expect(backUp({ source: { ...source, head: async () => null } })).rejects.toThrow(
        /The event log is empty, .* Set EVENTSTORE_URL and DATABASE_URL as for npm start/,
      );
      expect(readdirSync(folder)).toEqual([]);
      await setProjected(String(end));
      await expect(backUp()).resolves.toMatchObject({ events: expect.any(Number) });
    } finally {
      await setProjected('0');
    }
  });

  it('can be empty if no event was projected', async () => {
    const { cut, fileName } = await backUp({ source: { ...source, head: async () => null } });
    expect(cut).toMatchObject({ position: null, seq: 0 });
    const file = join(folder, fileName);
    await expect(verifyFile(file, { trustedKeys: [loadSigningKey(signingKeyFile).publicKey] })).resolves.toBeDefined();
  });
});

describe('the snapshot', () => {
  it('is taken after the head is read and before the events are read', async () => {
    const sourceWithJobs: LogSource = {
      ...source,
      async head() {
        const head = await source.head();
        await addJob(1);
        return head;
      },
      async *events(upTo, signal) {
        await addJob(2);
        yield* source.events(upTo, signal);
      },
    };
    const parts = await partsOf((await backUp({ source: sourceWithJobs })).fileName);
    expect(textOf(parts, 'jobs.logs')).toContain('line of job 1');
    expect(textOf(parts, 'jobs.logs')).not.toContain('line of job 2');
  });

  it('contains neither the content of excluded tables nor the signing key', async () => {
    const marker = 'Xq7vLm2pRt9wKc4nZb8s';
    await pool.query(`INSERT INTO identity.users (id, username, email) VALUES (7, 'ann', 'ann@example.com')`);
    await pool.query(`INSERT INTO identity.mail_outbox (user_id, recipient, subject) VALUES (7, $1, $1)`, [marker]);
    await pool.query(`INSERT INTO identity.sign_in_locks (subject) VALUES ($1)`, [marker]);
    const { fileName } = await backUp();
    const archive = gunzipSync(readFileSync(join(folder, fileName)));
    expect(archive.includes('ann@example.com')).toBe(true);
    expect(archive.includes(marker)).toBe(false);
    expect(archive.includes('PRIVATE KEY')).toBe(false);
  });

  it('contains the current values of the sequences', async () => {
    const { rows } = await pool.query(`SELECT nextval('command.job_ids') AS last`);
    const parts = await partsOf((await backUp()).fileName);
    const sequences = parts.flatMap((part) => (part.kind === 'sequences' ? part.sequences : []));
    expect(sequences).toContainEqual({ name: 'command.job_ids', lastValue: String(rows[0].last), isCalled: true });
    expect(sequences).toContainEqual({ name: 'command.role_ids', lastValue: '100', isCalled: false });
  });
});

describe('the file', () => {
  it('can be verified with the key of the installation', async () => {
    const progress: string[] = [];
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) => {
      progress.push(phase);
      expect(done).toBeLessThanOrEqual(total);
    };
    const result = await backUp({ onProgress });
    expect(readdirSync(folder)).toEqual([result.fileName]);
    expect(result.fileName).toMatch(/^rdm-\d{8}T\d{6}Z-[0-9a-f]{8}\.tar\.gz$/);
    const verified = await verifyFile(join(folder, result.fileName), {
      trustedKeys: [loadSigningKey(signingKeyFile).publicKey],
    });
    expect(verified).toMatchObject({
      bytes: result.bytes,
      sha256: result.sha256,
      isKeyTrusted: true,
      trailer: { cut: result.cut, events: result.events, keyId: result.keyId },
    });
    expect([...new Set(progress)]).toEqual(['tables', 'log', 'finishing']);
  });

  it('contains the signing key if the backup is encrypted', async () => {
    const { fileName, encrypted } = await backUp({ passphrase: 'correct horse' });
    expect({ encrypted, ends: fileName.endsWith('.tar.gz.age') }).toEqual({ encrypted: true, ends: true });
    const parts = await partsOf(fileName, 'correct horse');
    expect(parts).toContainEqual({ kind: 'signingKey', pem: readFileSync(signingKeyFile, 'utf8') });
  });
});

describe('a backup', () => {
  it('is refused while the maintenance lock is held', async () => {
    const other = await pool.connect();
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.maintenance]);
    await expect(backUp()).rejects.toMatchObject({ code: 'MAINTENANCE_RUNNING' });
    await other.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.maintenance]);
    other.release();
    await expect(backUp()).resolves.toBeDefined();
  });

  it.each(['tables', 'log', 'finishing'])(
    'leaves no file and no lock behind when it is interrupted during %s',
    async (phase) => {
      const abort = new AbortController();
      const onProgress = (progress: { phase: string }) => {
        if (progress.phase === phase) abort.abort(new Error('interrupted'));
      };
      await expect(backUp({ signal: abort.signal, onProgress })).rejects.toThrow('interrupted');
      expect(readdirSync(folder)).toEqual([]);
      await expect(backUp()).resolves.toBeDefined();
    },
  );

  it('fails if it loses the lock while it copies the log', async () => {
    const sourceThatLosesLock: LogSource = {
      ...source,
      async *events(upTo, signal) {
        yield* source.events(upTo, signal);
        await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1`, [
          ADVISORY_LOCKS.maintenance,
        ]);
      },
    };
    await expect(backUp({ source: sourceThatLosesLock })).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that is unfinished is removed; complete backups and other files stay', async () => {
    const { fileName } = await backUp();
    writeFileSync(join(folder, 'rdm-20260101T000000Z-00000000.tar.gz.part'), 'x');
    writeFileSync(join(folder, 'notes.part'), 'x');
    expect(await removeUnfinished(folder)).toEqual(['rdm-20260101T000000Z-00000000.tar.gz.part']);
    expect(readdirSync(folder).sort()).toEqual(['notes.part', fileName]);
  });
});

describe('a scavenge', () => {
  it('never runs at the same time as a backup', async () => {
    const sourceWithScavenge: LogSource = {
      ...source,
      async *events(upTo, signal) {
        await expect(scavengeNow()).rejects.toMatchObject({ code: 'MAINTENANCE_RUNNING' });
        yield* source.events(upTo, signal);
      },
    };
    await expect(backUp({ source: sourceWithScavenge })).resolves.toBeDefined();

    // This event store accepts connections and never answers.
    const silent = createServer().listen(0, '127.0.0.1');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const scavenging = scavengeNow({ eventStoreUrl: `esdb://127.0.0.1:${port}?tls=false` }).catch((error) => error);
    await vi.waitFor(() => expect(sockets).not.toEqual([]), { timeout: 10_000 });
    await expect(backUp()).rejects.toMatchObject({ code: 'MAINTENANCE_RUNNING' });
    silent.close();
    for (const socket of sockets) socket.destroy();
    expect(await scavenging).toMatchObject({ code: 'SCAVENGE_FAILED' });
    await expect(backUp()).resolves.toBeDefined();
  });

  it('is stopped when it loses the lock', async () => {
    // With this pause, the scavenge does not end by itself during the test.
    const slow = { dir: join(root, 'slow'), segmentSize: 4_096, scavengePauseFactor: 100_000, output: 'pipe' as const };
    const other = await startEventStoreProcess(slow);
    const writer = EventStoreDBClient.connectionString(other.url);
    const events = () => Array.from({ length: 30 }, () => jsonEvent({ type: 'A', data: { text: 'x'.repeat(500) } }));
    await writer.appendToStream('a', events());
    await writer.tombstoneStream('a');
    const stopping = new AbortController();
    const writing = (async () => {
      while (!stopping.signal.aborted) await writer.appendToStream('b', events());
    })();
    const scavenging = scavengeNow({ eventStoreUrl: other.url }).catch((error: unknown) => error);
    const readScavengeEvents = async () => {
      const types: string[] = [];
      for await (const { event } of writer.readStream('$scavenges', { resolveLinkTos: true })) {
        types.push(`${event?.type} ${(event?.data as { result?: string } | undefined)?.result ?? ''}`);
      }
      return types;
    };
    const started = () => expect(readScavengeEvents()).resolves.toEqual(['$scavengeStarted ']);
    await vi.waitFor(started, { timeout: 10_000 });
    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1`, [
      ADVISORY_LOCKS.maintenance,
    ]);
    expect(await scavenging).toBeInstanceOf(Error);
    expect(await readScavengeEvents()).toEqual(['$scavengeStarted ', '$scavengeCompleted Stopped']);
    stopping.abort();
    await writing;
    await writer.dispose();
    await other.stop();
  });
});
