/** Tests the corrected tables, the carry-over, the ids, the new log and the list of backups after a restore. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ACCESS_STREAM,
  BACKUPS_STREAM,
  type BackupEvent,
  emptyBackups,
  evolveBackups,
  type LegalHold,
  type ProductEvent,
} from '@rdm/contracts';
import { createPool, migrate, type Pool, transaction, UNKNOWN_BODY_HASH } from '@rdm/platform';
import { decodeRaw } from '@rdm/platform/event-store/event-codec';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../postgres/postgres.ts';
import { record } from '../fixtures/backup-file.ts';
import type { LogRecord } from '../format/entries.ts';
import type { VerifiedBackup } from '../verify-file.ts';
import { recordBackups } from './backups-record.ts';
import { accessOf, applyCarryOver, type CarryOver, type ListedBackup } from './carry-over.ts';
import { commandsWithoutAnswer, correctTables } from './corrections.ts';
import { LogFindings } from './log-findings.ts';
import { continueSequences, sequenceValues } from './new-database.ts';
import { type NewLog, openNewLog } from './new-log.ts';

const MADE_AT = '2026-01-02T00:00:00.000Z';

let root: string;
let postgres: RunningPostgres;
let pool: Pool;
let log: NewLog;
let logs = 0;
let written: LogRecord[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-corrections-'));
  chmodSync(root, 0o700);
  postgres = await startPostgres({ dir: join(root, 'postgres'), log: () => {} });
  await migrate(postgres.url);
  pool = createPool(postgres.url, { max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(async () => {
  logs += 1;
  log = await openNewLog(join(root, `log-${logs}`));
  written = [];
});
afterEach(() => log.close());

const commandId = (number: number) => `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`;

/** Writes an event with the next revision of its stream. */
async function appendGiven(stream: string, { type, data }: { type: string; data: unknown }, cause = commandId(0)) {
  const metadata = { $correlationId: cause, $causationId: cause, actorId: 1, requestId: 'r', sourceType: 'API' };
  const revision = BigInt(written.filter((each) => each.stream === stream).length);
  const event = record(logs * 1_000 + written.length, {
    ...{ stream, revision, type },
    metadata: Buffer.from(
      JSON.stringify({ ...metadata, occurredAt: '2026-01-01T00:00:00.000Z', schemaVersion: 1, dataSetIds: [] }),
    ),
    data: Buffer.from(JSON.stringify(data)),
  });
  written.push(event);
  await log.write([event]);
}

async function correct({ cut = '100', hasSameSecret = true } = {}): Promise<void> {
  const unanswered = await commandsWithoutAnswer(pool, cut);
  const findings = new LogFindings(unanswered);
  for (const each of written) findings.add(decodeRaw(each));
  await transaction(pool, async (client) =>
    correctTables(client, {
      ...{ unanswered, findings, access: await accessOf(log), log, hasSameSecret },
      madeAt: MADE_AT,
      cause: commandId(0),
    }),
  );
}

describe('commands', () => {
  const add = (number: number, answer: { status: number; position: string | null } | undefined) =>
    pool.query(
      `INSERT INTO command.commands (command_id, principal, name, body_hash, request_id, leased_until, status, answer, position)
       VALUES ($1, 'user:1', 'Add', 'hash', 'r', now(), $2, $3, $4)`,
      [commandId(number), answer?.status ?? null, answer ? '{}' : null, answer?.position ?? null],
    );
  const readCommands = async () =>
    (await pool.query('SELECT command_id AS id, status, position, body_hash AS hash FROM command.commands ORDER BY 1'))
      .rows;
  afterEach(() => pool.query('TRUNCATE command.commands; TRUNCATE identity.outbox'));

  it('that had an answer at the cut keep the answer but lose its position', async () => {
    await add(1, { status: 201, position: '100' });
    await add(2, { status: 409, position: null });
    await correct();
    expect(await readCommands()).toEqual([
      { id: commandId(1), status: 201, position: null, hash: 'hash' },
      { id: commandId(2), status: 409, position: null, hash: 'hash' },
    ]);
  });

  it('that had no answer at the cut are deleted if neither the log nor the outbox contains an effect', async () => {
    await add(1, undefined);
    await add(2, { status: 201, position: '101' });
    await add(3, { status: 201, position: '1000' });
    await correct();
    expect(await readCommands()).toEqual([]);
  });

  it('that had no answer at the cut remain unanswered if the log or the outbox contains an effect', async () => {
    await add(1, { status: 201, position: '101' });
    await add(2, undefined);
    await appendGiven('dataSet-1', { type: 'DataSetPublished', data: {} }, commandId(1));
    await pool.query(
      `INSERT INTO identity.outbox (event_id, stream, type, data, metadata) VALUES (gen_random_uuid(), 'apiKey-1', 'ApiKeyRevoked', '{}', $1)`,
      [JSON.stringify({ $causationId: commandId(2) })],
    );
    await correct();
    expect(await readCommands()).toMatchObject([
      { id: commandId(1), status: null },
      { id: commandId(2), status: null },
    ]);
  });

  it('get an unknown body hash if the session secret differs', async () => {
    await add(1, { status: 201, position: '100' });
    await correct({ hasSameSecret: false });
    expect(await readCommands()).toMatchObject([{ hash: UNKNOWN_BODY_HASH }]);
  });
});

describe('the outbox', () => {
  it('marks facts that were sent less than a day before the backup as unsent', async () => {
    await pool.query(
      `INSERT INTO identity.outbox (event_id, stream, type, data, metadata, sent_at)
       SELECT gen_random_uuid(), 'apiKey-' || n, 'ApiKeyRevoked', '{}', '{}', $1::timestamptz - n * interval '20 hours'
         FROM generate_series(1, 2) n`,
      [MADE_AT],
    );
    await correct();
    const { rows } = await pool.query('SELECT stream FROM identity.outbox WHERE sent_at IS NULL');
    expect(rows).toEqual([{ stream: 'apiKey-1' }]);
  });
});

describe('jobs', () => {
  const readProgress = async () => (await pool.query('SELECT job_id AS id, status FROM jobs.progress ORDER BY 1')).rows;
  const requested = (jobId: number) => ({
    type: 'BulkDecisionRequested',
    data: {
      ...{ jobId, commandId: commandId(jobId), description: 'Approve', dataSetIds: [1], total: 2 },
      ...{ jobType: 'BULK_DECISION', fileId: null },
    },
  });
  const add = async (id: number, status: string, hasRow = true) => {
    await pool.query(`INSERT INTO jobs.progress (job_id, phase, status, counts) VALUES ($1, 'IMPORT', $2, '{}')`, [
      id,
      status,
    ]);
    if (!hasRow) return;
    await pool.query(`INSERT INTO command.bulk_decisions (job_id, command_id, selection) VALUES ($1, $2, '{}')`, [
      id,
      commandId(id),
    ]);
    await pool.query(`INSERT INTO command.bulk_pieces VALUES ($1, 'mappings-1.0#0', 1, 0)`, [id]);
  };
  afterEach(() => pool.query('TRUNCATE jobs.progress; TRUNCATE command.bulk_decisions CASCADE'));

  it('that the log does not contain are deleted', async () => {
    await add(1, 'PENDING');
    await correct();
    expect(await readProgress()).toEqual([]);
  });

  it('that had not ended process their pieces again', async () => {
    await add(1, 'IN_PROGRESS');
    await appendGiven('bulkDecision-1', requested(1));
    await correct();
    expect(await readProgress()).toEqual([{ id: 1, status: 'IN_PROGRESS' }]);
    expect((await pool.query('SELECT FROM command.bulk_pieces')).rowCount).toBe(0);
  });

  it('that ended after the cut fail, because the backup lacks the rows that were unprocessed at the cut', async () => {
    await add(1, 'DONE', false);
    await appendGiven('bulkDecision-1', requested(1));
    await correct();
    expect(await readProgress()).toEqual([{ id: 1, status: 'FAILED' }]);
    expect((await log.events('bulkDecision-1')).map(({ type }) => type)).toEqual([
      'BulkDecisionRequested',
      'BulkDecisionFailed',
    ]);
  });
});

describe('users and keys', () => {
  const addUser = (id: number) =>
    pool.query(`INSERT INTO identity.users (id, username, email, password_hash) VALUES ($1, $2, $3, 'hash')`, [
      id,
      `user${id}`,
      `user${id}@example.com`,
    ]);
  const readUsers = async () => (await pool.query('SELECT id, username FROM identity.users ORDER BY id')).rows;
  const userRegistered = (userId: number, roleId = 4) => ({ type: 'UserRegistered', data: { userId, roleId } });
  const emptyCarryOver: CarryOver = {
    ...{ revokedKeys: [], inactiveUsers: [], erasedUsers: [], changedPasswords: [], holds: [] },
    sequences: new Map(),
    backups: [],
  };
  const carryOver = (more: Partial<CarryOver>) =>
    transaction(pool, (client) => applyCarryOver(client, log, { ...emptyCarryOver, ...more }, commandId(0)));
  const typesIn = async (stream: string) => (await log.events(stream)).map(({ type }) => type);
  beforeEach(async () => {
    for (const id of [1, 2, 3]) await addUser(id);
    await appendGiven(ACCESS_STREAM, userRegistered(1, 1) as ProductEvent);
    await appendGiven(ACCESS_STREAM, userRegistered(2) as ProductEvent);
  });
  afterEach(() => pool.query('TRUNCATE identity.users CASCADE; TRUNCATE identity.api_keys CASCADE'));

  it('are deleted if they registered after the cut', async () => {
    await pool.query(`INSERT INTO identity.password_history (user_id, password_hash) VALUES (3, 'hash')`);
    await correct();
    expect(await readUsers()).toEqual([
      { id: 1, username: 'user1' },
      { id: 2, username: 'user2' },
    ]);
  });

  it('stay deactivated or erased if this happened after the backup', async () => {
    await carryOver({ inactiveUsers: [2, 99], erasedUsers: [2] });
    expect((await accessOf(log)).users.get(2)?.active).toBe(false);
    expect(await typesIn('user-2')).toEqual(['UserErased']);
    expect(await readUsers()).toContainEqual({ id: 2, username: 'Former user' });
    await carryOver({ inactiveUsers: [2], erasedUsers: [2] });
    expect(await typesIn('user-2')).toEqual(['UserErased']);
    expect(await typesIn(ACCESS_STREAM)).toEqual(['UserRegistered', 'UserRegistered', 'UserDeactivated']);
  });

  it('must choose a new password if they changed their password after the backup', async () => {
    await carryOver({ changedPasswords: [2, 99] });
    await carryOver({ changedPasswords: [2] });
    const { rows } = await pool.query('SELECT id FROM identity.users WHERE require_password_change');
    expect(rows).toEqual([{ id: 2 }]);
    expect(await typesIn('user-2')).toEqual(['PasswordChangeRequired']);
  });

  it('stay under legal holds that were placed after the backup', async () => {
    const hold: LegalHold = { holdId: 3, scope: { kind: 'user', id: 2 }, matter: 'Case 17', reason: 'Legal' };
    await carryOver({ holds: [hold] });
    await carryOver({ holds: [hold] });
    expect([...(await accessOf(log)).holds.values()]).toEqual([hold]);
    expect((await typesIn(ACCESS_STREAM)).filter((type) => type === 'LegalHoldPlaced')).toHaveLength(1);
  });

  it('make the restore fail if no administrator would be left', () =>
    expect(carryOver({ inactiveUsers: [1] })).rejects.toMatchObject({ code: 'RESTORE_NOT_HERE' }));

  it('stay revoked if they are keys that were revoked after the backup', async () => {
    await pool.query(
      `INSERT INTO identity.api_keys (id, name, description, scopes, created_by) VALUES (1, 'a', '', '[]', 1), (2, 'b', '', '[]', 1)`,
    );
    await carryOver({ revokedKeys: [2, 7] });
    const { rows } = await pool.query('SELECT id FROM identity.api_keys WHERE revoked_at IS NOT NULL');
    expect(rows).toEqual([{ id: 2 }]);
    expect([await typesIn('apiKey-1'), await typesIn('apiKey-2')]).toEqual([[], ['ApiKeyRevoked']]);
  });
});

describe('ids', () => {
  const name = 'command.data_set_ids';
  const nextId = async (sequence = name) => (await pool.query('SELECT nextval($1) AS id', [sequence])).rows[0].id;

  it('continue after the ids of the backup and of the live data', async () => {
    await pool.query('SELECT setval($1, 5)', [name]);
    await continueSequences(pool, new Map([[name, 9n]]));
    expect(await nextId()).toBe(10);
    await continueSequences(pool, new Map([[name, 3n]]));
    expect(await nextId()).toBe(11);
  });

  it('continue far after the ids of the backup if there is no live data', async () => {
    await pool.query(
      `SELECT setval($1, 5), setval('command.instance_ids', 7), setval('command.role_ids', 100, false)`,
      [name],
    );
    await continueSequences(pool, undefined);
    expect(await nextId()).toBe(1_006);
    expect(await nextId('command.instance_ids')).toBe(10_000_008);
    expect(await nextId('command.role_ids')).toBe(1_100);
    expect((await sequenceValues(pool)).get(name)).toBe(1_006n);
  });
});

describe('the new log', () => {
  it('has the events of a stream that also has metadata and a tombstone', async () => {
    const records = [
      record(1, { stream: 'dataSet-1' }),
      record(2, { stream: '$$dataSet-1', type: '$metadata', data: Buffer.from('{"$tb":1}') }),
      record(3, { stream: 'dataSet-1', revision: 1n, isJson: false, data: Buffer.from('[1]') }),
      record(4, { stream: 'dataSet-1', revision: 2n ** 63n - 1n, type: '$streamDeleted', data: Buffer.alloc(0) }),
    ];
    await log.write(records);
    expect((await log.events('dataSet-1')).map(({ revision, id }) => ({ revision, id }))).toEqual([
      { revision: 0, id: records[0]?.id },
      { revision: 1, id: records[2]?.id },
    ]);
  });

  it('keeps the revisions of a stream whose first events a scavenge removed', async () => {
    await log.write([
      record(1, { stream: 'dataSet-1', revision: 4n }),
      record(2, { stream: 'dataSet-1', revision: 5n }),
    ]);
    expect((await log.events('dataSet-1')).map(({ revision }) => revision)).toEqual([4, 5]);
  });

  it('refuses a stream with a gap in its revisions', () =>
    expect(
      log.write([record(1, { stream: 'dataSet-1', revision: 4n }), record(2, { stream: 'dataSet-1', revision: 6n })]),
    ).rejects.toMatchObject({ code: 'RESTORE_NOT_HERE' }));
});

describe('the list of backups after a restore', () => {
  const fileNamed = (fileName: string) => ({
    ...{ fileName, bytes: 1, sha256: fileName, encrypted: false, events: 1, position: '1', seq: 1, chainHash: 'c' },
  });
  const knownBackup = (backupId: number, more: Partial<ListedBackup> = {}): ListedBackup => ({
    ...{ backupId, trigger: 'SCHEDULE', status: 'DONE', problem: null, isChecked: true, verifiedLevel: 'checksums' },
    ...{ pinned: false, file: fileNamed(`rdm-${backupId}.tar.gz`), madeAt: MADE_AT, ...more },
  });
  const restored = (fileName: string, isKept = true) => ({
    ...{ fileName, isKept },
    verified: {
      ...{ bytes: 1, sha256: fileName, encrypted: false, header: { createdAt: MADE_AT } },
      trailer: { cut: { position: 1n, seq: 1, chainHash: 'c' }, events: 1 },
    } as unknown as VerifiedBackup,
  });

  /** Returns the folded state of each backup, with the `madeAt` of its BackupCompleted event. */
  async function listAfter(files: Parameters<typeof recordBackups>[2]) {
    await transaction(pool, (client) => recordBackups(client, log, files, commandId(0)));
    const events = (await log.events(BACKUPS_STREAM)) as unknown as BackupEvent[];
    const state = emptyBackups();
    for (const event of events) evolveBackups(state, event);
    const madeAt = (id: number) =>
      events.flatMap(({ type, data }) => (type === 'BackupCompleted' && data.backupId === id ? [data.madeAt] : []))[0];
    return [...state.backups.values()].map(({ backupId, trigger, status, verifiedLevel, pinned, file }) => ({
      ...{ fileName: file?.fileName, trigger, status, verifiedLevel, pinned, madeAt: madeAt(backupId) },
    }));
  }

  it('contains the restored backup once, and the other backups of the replaced data with their state', async () => {
    await appendGiven(BACKUPS_STREAM, { type: 'BackupRequested', data: { backupId: 7, trigger: 'MANUAL' } });
    const damaged = knownBackup(9, { status: 'DAMAGED', problem: 'cut off', verifiedLevel: null, pinned: true });
    const list = await listAfter({
      ...{ restored: restored('rdm-20260102T000000Z-7.tar.gz'), safety: undefined },
      known: [
        knownBackup(7, { file: fileNamed('rdm-20260102T000000Z-7.tar.gz') }),
        knownBackup(8, { verifiedLevel: 'restore' }),
        damaged,
      ],
    });
    const scheduled = { trigger: 'SCHEDULE', madeAt: MADE_AT };
    expect(list).toEqual([
      {
        ...{ fileName: 'rdm-20260102T000000Z-7.tar.gz', trigger: 'MANUAL', status: 'DONE', madeAt: undefined },
        ...{ verifiedLevel: 'checksums', pinned: false },
      },
      { fileName: 'rdm-8.tar.gz', ...scheduled, status: 'DONE', verifiedLevel: 'restore', pinned: false },
      { fileName: 'rdm-9.tar.gz', ...scheduled, status: 'DAMAGED', verifiedLevel: null, pinned: true },
    ]);
  });

  it('has the original and the upload if an uploaded copy was restored', async () => {
    await appendGiven(BACKUPS_STREAM, { type: 'BackupRequested', data: { backupId: 7, trigger: 'MANUAL' } });
    const upload = 'rdm-20260102T000000Z-uploaded_0f0f0f0f.tar.gz';
    const list = await listAfter({
      ...{ restored: restored(upload), safety: undefined },
      known: [knownBackup(7), knownBackup(8, { trigger: 'UPLOAD', file: fileNamed(upload) })],
    });
    expect(list.map(({ fileName, trigger, status }) => `${fileName} ${trigger} ${status}`)).toEqual([
      'rdm-7.tar.gz MANUAL DONE',
      `${upload} UPLOAD DONE`,
    ]);
  });
});
