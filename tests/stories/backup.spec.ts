/** Tests the content of backups that are made while commands run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type BackupPart,
  type CompletedBackup,
  createBackup,
  embeddedLog,
  MaintenanceError,
  readBackup,
  remoteLog,
  verifyFile,
} from '@rdm/embedded/maintenance/index';
import {
  connectEventStore,
  createPool,
  type EventStore,
  generateSigningKey,
  loadSigningKey,
  type Pool,
} from '@rdm/platform';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, signInAs } from './http-client.ts';

const WRITERS = 8;

let folder: string;
let signingKeyFile: string;
let pool: Pool;
let store: EventStore;
let steward: HttpClient;
let typeId: number;
let collectionId: number;
let first: CompletedBackup;
let second: CompletedBackup;
/** The data sets that the writers of the second backup created. */
let dataSetIds: number[];
/** The content of the second backup. */
let parts: BackupPart[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-story-backup-'));
  signingKeyFile = join(folder, 'signing-key.pem');
  writeFileSync(signingKeyFile, generateSigningKey());
  pool = createPool(inject('databaseUrl'), { max: 4 });
  store = connectEventStore(inject('eventStoreUrl'));
  steward = await signInAs('steward');
  collectionId = await newCollection(steward);
  typeId = await newType(steward);
  first = (await whileWriting(backUp)).result;
  ({ result: second, dataSetIds } = await whileWriting(backUp));
  parts = await partsOf(second);
});
afterAll(async () => {
  await store?.close();
  await pool?.end();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Returns the log to back up: the files of the embedded event store, or the event store at EVENTSTORE_URL, read over
 * the network.
 */
function logSource() {
  if (process.env['EVENTSTORE_URL']) return remoteLog(store, inject('eventStoreUrl'));
  return embeddedLog(store, join(inject('folders')[0] as string, 'event-store'));
}

/** Makes a backup. Waits while the product makes a backup for another story, because only one runs at a time. */
const backUp = async (): Promise<CompletedBackup> => {
  for (;;) {
    try {
      return await backUpNow();
    } catch (error) {
      if (!(error instanceof MaintenanceError && error.code === 'MAINTENANCE_RUNNING')) throw error;
      await pause(200);
    }
  }
};

const backUpNow = () =>
  createBackup({
    folder,
    pool,
    source: logSource(),
    signingKeyFile,
    productVersion: '0.1.0',
    sessionSecret: 's'.repeat(32),
  });

/**
 * Runs `work` while several writers create data sets with rows. Returns the result of `work` and the ids of the data
 * sets.
 */
async function whileWriting<T>(work: () => Promise<T>): Promise<{ result: T; dataSetIds: number[] }> {
  const dataSetIds: number[] = [];
  let isDone = false;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!isDone) dataSetIds.push(await newDataSet(steward, typeId, collectionId, [{ code: 'A' }, { code: 'B' }]));
  });
  // Wait for the first data set, so that commands run both before and during the work.
  await vi.waitFor(() => expect(dataSetIds.length).toBeGreaterThan(0), { timeout: 30_000 });
  const result = await work().finally(() => {
    isDone = true;
  });
  await Promise.all(writers);
  return { result, dataSetIds };
}

async function countEvents(upTo: string | null): Promise<number> {
  let count = 0;
  for await (const { position, type } of store.readAll(null)) {
    if (upTo !== null && position <= BigInt(upTo) && !type.startsWith('$')) count += 1;
  }
  return count;
}

/** Waits until the audit log contains the event with this seq; returns the chain hash of the event. */
async function auditHash(seq: number): Promise<string> {
  for (;;) {
    const { rows: builds } = await pool.query(
      `SELECT schema_name FROM platform.builds WHERE name = 'audit_log' AND serving`,
    );
    const { rows } = await pool.query(`SELECT chain_hash FROM ${builds[0].schema_name}.audit_logs WHERE seq = $1`, [
      seq,
    ]);
    if (rows[0]) return rows[0].chain_hash;
    await pause(50);
  }
}

async function partsOf({ fileName }: CompletedBackup): Promise<BackupPart[]> {
  const parts: BackupPart[] = [];
  for await (const part of readBackup(join(folder, fileName))) parts.push(part);
  return parts;
}

it('a backup that is made while commands run contains every event up to its cut', async () => {
  expect(second.events).toBeGreaterThan(first.events);
  for (const backup of [first, second]) {
    const file = join(folder, backup.fileName);
    const verified = await verifyFile(file, { trustedKeys: [loadSigningKey(signingKeyFile).publicKey] });
    expect(verified).toMatchObject({ isKeyTrusted: true, sha256: backup.sha256, trailer: { events: backup.events } });
    expect(backup.events).toBe(await countEvents(backup.cut.position));
    expect(backup.cut.chainHash).toBe(await auditHash(backup.cut.seq));
    expect([null, backup.cut.chainHash]).toContain(backup.auditChainHash);
  }
});

it('a backup contains the command of each event in the streams of the new data sets', () => {
  const commandIds = new Set(
    parts.flatMap((part) =>
      part.kind === 'rows' && part.table.name === 'command.commands'
        ? part.content
            .toString()
            .split('\n')
            .map((row) => row.split('\t')[part.table.columns.indexOf('command_id')])
        : [],
    ),
  );
  const streams = new Set(dataSetIds.map((id) => `dataSet-${id}`));
  const events = parts
    .flatMap((part) => (part.kind === 'records' ? part.records : []))
    .filter(({ stream }) => streams.has(stream));
  expect(events.length).toBeGreaterThan(0);
  for (const { metadata, stream } of events) {
    expect(commandIds.has(JSON.parse(metadata.toString()).$causationId), stream).toBe(true);
  }
});

it('a backup contains the users, and the sequence of data set ids', async () => {
  const usernames = parts.flatMap((part) =>
    part.kind === 'rows' && part.table.name === 'identity.users'
      ? part.content
          .toString()
          .trimEnd()
          .split('\n')
          .map((row) => row.split('\t')[part.table.columns.indexOf('username')])
      : [],
  );
  expect(usernames).toEqual(expect.arrayContaining(['admin', 'steward', 'approver', 'viewer']));
  const sequences = parts.flatMap((part) => (part.kind === 'sequences' ? part.sequences : []));
  const { id } = done(await steward.post('/api/reference-data', { name: second.fileName, typeId, collectionId }));
  const dataSetIdSequence = sequences.find(({ name }) => name === 'command.data_set_ids');
  expect(Number(dataSetIdSequence?.lastValue)).toBeGreaterThan(0);
  expect(Number(dataSetIdSequence?.lastValue)).toBeLessThan(id);
});
