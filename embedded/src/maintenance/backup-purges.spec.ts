/** Tests backups of a log with a purge, on a real PostgreSQL and a real event store. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { PurgedEvent } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import {
  connectEventStore,
  createPool,
  type EventStore,
  generateSigningKey,
  loadPurgedEvents,
  loadSigningKey,
  migrate,
  numberLog,
  type Pool,
} from '@rdm/platform';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { keyRegistered, purgeEvents, type TestEvent, testSigningKey } from '@rdm/platform/testing/purge-events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStoreProcess, startEventStoreProcess } from '../event-store/spawn.ts';
import { type RunningPostgres, startPostgres } from '../postgres/postgres.ts';
import { createBackup } from './backup.ts';
import type { BackupPart, LogRecord } from './format/entries.ts';
import { readBackup } from './format/reader.ts';
import { embeddedLog, type LogSource } from './log-source.ts';
import { entryOf } from './purged-records.ts';
import { openNewLog } from './restore/new-log.ts';
import { openServerLog, requireSameChain } from './restore/server-log.ts';
import { scavengeAlone } from './scavenge.ts';
import { verifyFile } from './verify-file.ts';

let root: string;
let folder: string;
let postgres: RunningPostgres;
let pool: Pool;
let server: EventStoreProcess;
let store: EventStore;
let client: EventStoreDBClient;
let signingKeyFile: string;
let source: LogSource;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-backup-purges-'));
  chmodSync(root, 0o700);
  folder = join(root, 'backups');
  signingKeyFile = join(root, 'signing-key.pem');
  writeFileSync(signingKeyFile, generateSigningKey());
  postgres = await startPostgres({ dir: join(root, 'postgres'), log: () => {} });
  await migrate(postgres.url);
  pool = createPool(postgres.url, { max: 4 });
  server = await startEventStoreProcess({ dir: join(root, 'event-store'), segmentSize: 4_096 });
  store = connectEventStore(server.url);
  client = EventStoreDBClient.connectionString(server.url);
  source = embeddedLog(store, join(root, 'event-store'));
});
afterAll(async () => {
  await client?.dispose();
  await store?.close();
  await server?.stop();
  await pool?.end();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

const backUp = (more: { source: LogSource }) =>
  createBackup({
    ...{ folder, pool, signingKeyFile, productVersion: '0.1.0', sessionSecret: 's'.repeat(32), pauseFactor: 0 },
    ...more,
  });

async function partsOf(fileName: string): Promise<BackupPart[]> {
  const parts: BackupPart[] = [];
  for await (const part of readBackup(join(folder, fileName))) parts.push(part);
  return parts;
}
const recordsOf = (parts: BackupPart[]): LogRecord[] =>
  parts.flatMap((part) => (part.kind === 'records' ? part.records : []));

describe('a log with a purge', () => {
  const KEY = testSigningKey();
  const marker = 'kHq3vTz8Lw5nXy2bRc7mPd9s';
  const isPurged = ({ stream, type }: Pick<RawEvent, 'stream' | 'type'>) =>
    stream === 'dataSet-9' && !type.startsWith('$');
  const verify = (fileName: string) =>
    verifyFile(join(folder, fileName), { trustedKeys: [loadSigningKey(signingKeyFile).publicKey] });
  /** Returns the log as a server returns it after a scavenge. */
  const scavenged = (): LogSource => ({
    ...source,
    async *events(upTo, signal) {
      for await (const events of source.events(upTo, signal)) yield events.filter((event) => !isPurged(event));
    },
  });

  /** Returns the last seq of the log and the last hash of its audit chain. */
  async function chainOf(reader: EventStore): Promise<{ seq: number; chainHash: string }> {
    let head = { seq: 0, chainHash: GENESIS };
    const items = numberLog(reader.readAll(null), await loadPurgedEvents(reader), { seq: 0, position: null });
    for await (const item of items) {
      const digest = 'event' in item ? digestOf({ ...item.event, seq: item.seq }) : item.purged.digest;
      head = { seq: item.seq, chainHash: linkTo(head.chainHash, digest) };
    }
    return head;
  }

  async function appendEvents(events: readonly TestEvent[]): Promise<void> {
    for (const { stream, type, data, actorId } of events) {
      const revision = (await store.tail(stream))?.revision ?? ('NO_STREAM' as const);
      await store.append(stream, [{ id: randomUUID(), type, data, metadata: eventMetadata({ actorId }) }], revision);
    }
  }

  let original: { seq: number; chainHash: string };
  beforeAll(async () => {
    await appendEvents([keyRegistered(KEY)]);
    const details = { name: marker };
    const changed = { stream: 'dataSet-9', type: 'DataSetDetailsChanged', data: details, actorId: 3 };
    await appendEvents([changed, { ...changed, stream: 'dataSet-8', data: { name: 'stays' } }, changed, changed]);
    const events: PurgedEvent[] = [];
    for await (const item of numberLog(store.readAll(null), await loadPurgedEvents(store), {
      seq: 0,
      position: null,
    })) {
      if (!('event' in item) || !isPurged(item.event)) continue;
      const { type, metadata } = item.event;
      const digest = digestOf({ ...item.event, seq: item.seq });
      events.push({ seq: item.seq, digest, type, actorId: metadata.actorId, at: metadata.occurredAt });
    }
    const streams = [{ stream: 'dataSet-9', revision: 2 }];
    await appendEvents(purgeEvents({ purgeId: 4, streams, events, key: KEY }));
    await client.tombstoneStream('dataSet-9');
    // Fill several segments, because only sealed segments are scavenged.
    for (let count = 0; count < 20; count += 1) {
      await appendEvents([{ ...changed, stream: 'dataSet-8', data: { name: 'after'.repeat(100) } }]);
    }
    original = await chainOf(store);
  });

  it('is copied without the purged events, with the same seq and chain', async () => {
    for (const from of [source, scavenged()]) {
      const { fileName, cut } = await backUp({ source: from });
      expect(cut).toMatchObject(original);
      const { header, trailer } = await verify(fileName);
      expect({ format: header.format, purges: trailer.purges }).toEqual({ format: 2, purges: ['4'] });
      const archive = gunzipSync(readFileSync(join(folder, fileName)));
      expect(archive.includes('"stays"')).toBe(true);
      expect(archive.includes(marker)).toBe(false);
      const records = recordsOf(await partsOf(fileName));
      expect(records.filter(({ stream }) => stream === 'dataSet-9').map(({ type }) => type)).toEqual([
        '$streamDeleted',
      ]);
    }
  });

  it('has the same seq and chain after a restore', async () => {
    const { fileName } = await backUp({ source: scavenged() });
    const dir = join(root, 'restored');
    const log = await openNewLog(dir);
    for (const part of await partsOf(fileName)) {
      if (part.kind === 'records') await log.write(part.records.filter((record) => entryOf(record) === undefined));
    }
    await log.close();
    await expectRestored(await startEventStoreProcess({ dir }));
  });

  it('has the same seq and chain after a restore into a server over the protocol', async () => {
    const { fileName, cut } = await backUp({ source: scavenged() });
    const empty = await startEventStoreProcess({ dir: join(root, 'server') });
    const log = await openServerLog(empty.url);
    for (const part of await partsOf(fileName)) {
      if (part.kind === 'records') await log.write(part.records.filter((record) => entryOf(record) === undefined));
    }
    await log.close();
    await requireSameChain(empty.url, cut, new AbortController().signal);
    await expectRestored(empty);
  });

  it('has the same seq and chain after a scavenge of the store', async () => {
    const signal = new AbortController().signal;
    expect(await scavengeAlone({ pool, eventStoreUrl: server.url, signal })).toBeGreaterThan(0);
    const streams: string[] = [];
    for await (const { stream } of store.readAll(null)) streams.push(stream);
    expect(streams).not.toContain('dataSet-9');
    expect(await chainOf(store)).toEqual(original);
    const { fileName, cut } = await backUp({ source });
    expect(cut).toMatchObject(original);
    await expect(verify(fileName)).resolves.toMatchObject({ trailer: { purges: ['4'] } });
  });

  async function expectRestored(restored: EventStoreProcess): Promise<void> {
    const reader = connectEventStore(restored.url);
    try {
      expect(await chainOf(reader)).toEqual(original);
      const read = async () => {
        for await (const _ of reader.read('dataSet-9')) throw new Error('dataSet-9 has an event');
      };
      await expect(read()).rejects.toMatchObject({ code: 'PURGED' });
    } finally {
      await reader.close();
      await restored.stop();
    }
  }
});
