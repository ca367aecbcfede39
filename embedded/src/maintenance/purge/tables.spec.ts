/** Tests which rows a purge deletes from PostgreSQL, and that PostgreSQL's files keep no bytes of these rows. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PurgeItem } from '@rdm/contracts';
import { createPool, migrate, type Pool, transaction } from '@rdm/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../postgres/postgres.ts';
import { cleanPostgres } from './space.ts';
import {
  concernedTables,
  countRows,
  deleteRows,
  findUnansweredCommands,
  type PurgeTarget,
  runningJobs,
} from './tables.ts';

let root: string;
let postgres: RunningPostgres;
let pool: Pool;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-purge-tables-'));
  chmodSync(root, 0o700);
  postgres = await startPostgres({ dir: join(root, 'postgres'), log: () => {} });
  await migrate(postgres.url);
  pool = createPool(postgres.url, { max: 4 });
  // The deletion reads these tables of serving read models.
  await pool.query(`
    CREATE SCHEMA jobs_b1;
    CREATE TABLE jobs_b1.import_jobs (job_id bigint, job_type text, status text, file_id uuid, data_set_ids bigint[]);
    CREATE SCHEMA audit_b1;
    CREATE TABLE audit_b1.audit_logs (stream text, causation_id text);
    INSERT INTO platform.builds (name, version, build, schema_name, state, serving)
      VALUES ('jobs', 1, 1, 'jobs_b1', 'SERVING', true), ('audit_log', 1, 1, 'audit_b1', 'SERVING', true)`);
});
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Ids of purged entities; KEPT has ids of entities that are not purged. */
const PURGED = {
  dataSet: 5,
  crosswalk: 6,
  relationship: 7,
  job: 8,
  userId: 9,
  file: '00000000-0000-4000-8000-000000000001',
};
const KEPT = {
  dataSet: 15,
  crosswalk: 16,
  relationship: 17,
  job: 18,
  userId: 19,
  file: '00000000-0000-4000-8000-000000000002',
};

const item = (kind: PurgeItem['kind'], id: number): PurgeItem => ({ kind, id, name: '', endedAt: null });
const target: PurgeTarget = {
  kind: 'dataSets',
  before: '2026-01-01T00:00:00Z',
  plan: {
    items: [item('dataSet', PURGED.dataSet)],
    dependants: [
      item('crosswalk', PURGED.crosswalk),
      item('relationship', PURGED.relationship),
      item('job', PURGED.job),
    ],
    streams: [
      { stream: `dataSet-${PURGED.dataSet}`, revision: 2 },
      { stream: `instances-${PURGED.dataSet}.3`, revision: 0 },
    ],
    heldUserIds: [],
  },
};
const telemetry: PurgeTarget = {
  kind: 'telemetry',
  before: '2026-01-01T00:00:00Z',
  plan: { items: [], dependants: [], streams: [], heldUserIds: [KEPT.userId] },
};

const command = (id: number, name: string, input: object, steps: object, more: { status?: number | null } = {}) =>
  pool.query(
    `INSERT INTO command.commands (command_id, principal, name, body_hash, payload, steps, request_id, leased_until, status)
     VALUES ($1, 'user:1', $2, '', $3, $4, 'r', now(), $5)`,
    [
      `00000000-0000-4000-9000-${String(id).padStart(12, '0')}`,
      name,
      JSON.stringify({ input }),
      JSON.stringify(steps),
      more.status === undefined ? 200 : more.status,
    ],
  );

/**
 * Inserts rows of the entities into tables from which a purge deletes rows. At least one row in each of these tables
 * contains the text.
 */
async function fill(ids: typeof PURGED, text: string, firstCommand: number): Promise<void> {
  const { dataSet, crosswalk, relationship, job, file } = ids;
  await command(firstCommand, 'CreateDataSet', { name: text }, { [`dataSet-${dataSet}#0`]: -1 });
  await command(firstCommand + 1, 'AddInstances', { id: dataSet, body: text }, {}, { status: 400 });
  await command(firstCommand + 2, 'DraftMappings', { id: crosswalk, body: text }, {}, { status: 400 });
  await command(firstCommand + 3, 'DraftRelationshipValues', { id: relationship, body: text }, {}, { status: 400 });
  const causedBy = `00000000-0000-4000-9000-${String(firstCommand + 4).padStart(12, '0')}`;
  await command(firstCommand + 4, 'DecideApprovals', { selection: text }, {});
  await pool.query('INSERT INTO audit_b1.audit_logs VALUES ($1, $2)', [`instances-${dataSet}.3`, causedBy]);
  const inserts: [string, unknown[]][] = [
    [
      'INSERT INTO command.selection_criteria (command_id, criteria) VALUES ($1, $2)',
      [causedBy, JSON.stringify({ q: text })],
    ],
    ['INSERT INTO command.decided_steps VALUES ($1, $2, $3)', [causedBy, 's', JSON.stringify({ text })]],
    ['INSERT INTO command.import_memories (data_set_id, headers, columns) VALUES ($1, $2, $3)', [dataSet, text, '{}']],
    [
      'INSERT INTO command.staged_files (id, owner_id, data_set_id, file_name) VALUES ($1, 1, $2, $3)',
      [file, dataSet, text],
    ],
    ['INSERT INTO command.staged_chunks VALUES ($1, 1, $2)', [file, Buffer.from(text)]],
    ['INSERT INTO jobs_b1.import_jobs VALUES ($1, $4, $5, $2, $3)', [job, file, [dataSet], 'VALIDATION', 'DONE']],
    [
      `INSERT INTO command.imports (job_id, file_id, validation_job_id, import_job_id, correlation_id, request_id)
       VALUES ($1, $2, $3, $4, $5, 'r')`,
      [job, file, job + 100, job + 200, text],
    ],
    [`INSERT INTO command.staged_rows VALUES ($1, 1, 1, 1, $2, convert_to($2, 'UTF8'))`, [job, text]],
    [
      `INSERT INTO command.import_steps (job_id, bucket, number, repeated, undo) VALUES ($1, 1, 1, '{}', $2)`,
      [job, text],
    ],
    ['INSERT INTO command.import_kept_keys VALUES ($1, 1, 1, $2)', [job, text]],
    [
      'INSERT INTO command.bulk_decisions (job_id, command_id, batch) VALUES ($1, gen_random_uuid(), $2)',
      [job, JSON.stringify({ text })],
    ],
    ['INSERT INTO command.bulk_pieces (job_id, step, done, refused) VALUES ($1, $2, 1, 1)', [job, text]],
    [`INSERT INTO jobs.progress (job_id, phase, status, counts) VALUES ($1, $2, 'DONE', '{}')`, [job, text]],
    [
      `INSERT INTO jobs.logs (job_id, level, message) VALUES ($1, 'ERROR', $2), ($3, 'ERROR', $2)`,
      [job, text, job + 100],
    ],
    [
      'INSERT INTO jobs.rejected_tables (job_id, encoding, delimiter, metadata, header) VALUES ($1, $2, $2, $3, $3)',
      [job, text, Buffer.from(text)],
    ],
    ['INSERT INTO jobs.rejected_rows VALUES ($1, 1, $2, false)', [job, Buffer.from(text)]],
    ['INSERT INTO telemetry.missing_mappings (crosswalk_id, source_value) VALUES ($1, $2)', [crosswalk, text]],
    [
      `INSERT INTO telemetry.translation_requests (crosswalk_id, source_value, requests, first_requested_at, last_requested_at)
       VALUES ($1, $2, 1, now(), now())`,
      [crosswalk, text],
    ],
    [
      `INSERT INTO platform.selections (id, owner_id, kind, parent_id, items, count, expires_at, criteria)
       VALUES (gen_random_uuid(), 1, 'mappings', $1, '[]', 0, now(), $2)`,
      [crosswalk, JSON.stringify({ q: text })],
    ],
    [
      `INSERT INTO platform.live_changes (seq, position, type, entity, entity_id, count, changed_fields, command_id, data_set_ids)
       VALUES ($1, '1', 'InstancesChanged', 'instance', $1, 1, ARRAY[$2], 'c', ARRAY[$1::bigint])`,
      [dataSet, text],
    ],
    [
      `WITH s AS (INSERT INTO cache.streams (stream, revision, last_at, head) VALUES ($1, 1, '', $2) RETURNING stream_id)
       INSERT INTO cache.rows SELECT stream_id, 1, 1, $2 FROM s`,
      [`instances-${dataSet}.3`, JSON.stringify({ text })],
    ],
  ];
  for (const [statement, parameters] of inserts) await pool.query(statement, parameters);
}

const SCHEMAS = ['command', 'jobs', 'telemetry', 'identity', 'platform', 'cache'];
async function allTables(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname = ANY($1) ORDER BY 1`,
    [SCHEMAS],
  );
  return rows.map(({ name }) => name);
}

async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of await allTables()) {
    // The text of a bytea column is hexadecimal.
    const { rowCount } = await pool.query(`SELECT FROM ${table} x WHERE x::text LIKE ANY($1) LIMIT 1`, [
      [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`],
    ]);
    if (rowCount) found.push(table);
  }
  return found;
}

beforeEach(async () => {
  const tables = (await allTables()).filter((name) => !/platform\.(builds|reader|migrations)/.test(name));
  await pool.query(`TRUNCATE ${[...tables, 'jobs_b1.import_jobs', 'audit_b1.audit_logs'].join(', ')} CASCADE`);
});

/** Tables from which a purge deletes no rows by itself, each with the reason. */
const NOT_CONCERNED: Readonly<Record<string, string>> = {
  'command.purge_plans': 'deleted with the purge itself',
  'command.backup_passphrases': 'secrets of backups that run',
  'command.import_drafts': 'deleted with their file',
  'command.import_problems': 'deleted with their file',
  'command.staged_chunks': 'deleted with their file',
  'command.bulk_pieces': 'deleted with their decision',
  'identity.users': 'erased by an erasure',
  'identity.password_history': 'erased by an erasure',
  'identity.sessions': 'erased by an erasure',
  'identity.devices': 'erased by an erasure',
  'identity.home_marks': 'erased by an erasure',
  'identity.notification_marks': 'erased by an erasure; numbers only',
  'identity.notifications_seen': 'erased by an erasure; numbers only',
  'identity.outbox': 'facts about users by id',
  'identity.api_keys': 'kept with their users',
  'identity.api_key_secrets': 'kept with their keys',
  'identity.sign_in_locks': 'counts of failed sign-ins, and locks of at most a day',
  'identity.throttles': 'counters of the last hour',
  'identity.reset_tokens': 'valid for an hour',
  'identity.reset_requests': 'answered within seconds',
  'identity.used_id_tokens': 'expire within minutes',
  'telemetry.api_key_buckets': 'counters of the last minute',
  'platform.builds': 'states of read models',
  'platform.reader': 'position of the read models',
  'platform.instants': 'contains only numbers and instants',
  'platform.log_losses': 'contains only positions',
};

describe('the tables of a purge', () => {
  it('and the tables of NOT_CONCERNED are all tables except migrations', async () => {
    const concerned = [...concernedTables('dataSets'), ...concernedTables('telemetry'), ...Object.keys(NOT_CONCERNED)];
    const isMigrationTable = (name: string) => /^platform\..*migrations/.test(name);
    expect([...new Set(concerned)].sort()).toEqual((await allTables()).filter((name) => !isMigrationTable(name)));
  });

  it('have counts of the rows of purged entities, and lose exactly these rows', async () => {
    const [gone, stays] = ['textofwhatispurged', 'textofwhatstays'];
    await fill(PURGED, gone, 100);
    await fill(KEPT, stays, 200);
    const before = await tablesWith(gone);
    expect(before).toEqual(await tablesWith(stays));
    const counts = new Map((await countRows(pool, target)).map(({ table, rows }) => [table, rows]));
    expect(counts.get('command.commands')).toBe(5);
    expect(counts.get('jobs.logs')).toBe(2);
    const deletedWithOthers = ['command.staged_chunks', 'command.bulk_pieces'];
    expect([...counts.keys(), ...deletedWithOthers].sort()).toEqual(before);
    await transaction(pool, (db) => deleteRows(db, target));
    expect(await tablesWith(gone)).toEqual([]);
    expect(await tablesWith(stays)).toEqual(before);
    await transaction(pool, (db) => deleteRows(db, target));
    expect(await tablesWith(stays)).toEqual(before);
  });

  it('lose old telemetry, except the rows of users under a hold', async () => {
    for (const [userId, at] of [
      [PURGED.userId, '2025-01-01'],
      [PURGED.userId, '2026-02-01'],
      [KEPT.userId, '2025-01-01'],
    ] as const) {
      await pool.query(
        'INSERT INTO identity.login_attempts (username, success, user_id, attempted_at) VALUES ($1, true, $2, $3)',
        ['x', userId, at],
      );
      await pool.query('INSERT INTO identity.request_contexts (request_id, at, user_id) VALUES ($1, $2, $3)', [
        `${userId} ${at}`,
        at,
        userId,
      ]);
    }
    expect(await countRows(pool, telemetry)).toEqual([
      { table: 'identity.login_attempts', rows: 1 },
      { table: 'identity.request_contexts', rows: 1 },
    ]);
    await transaction(pool, (db) => deleteRows(db, telemetry));
    const { rows } = await pool.query('SELECT user_id AS id FROM identity.login_attempts ORDER BY attempted_at');
    expect(rows).toEqual([{ id: KEPT.userId }, { id: PURGED.userId }]);
  });

  it('show the commands and jobs that a purge must wait for', async () => {
    const now = new Date().toISOString();
    await command(1, 'AddInstances', { id: PURGED.dataSet }, {}, { status: null });
    await command(2, 'ChangeDataSet', { id: KEPT.dataSet }, { [`dataSet-${PURGED.dataSet}#0`]: 2 }, { status: null });
    await command(3, 'AddInstances', { id: KEPT.dataSet }, {}, { status: null });
    await command(4, 'AddInstances', { id: PURGED.dataSet }, {});
    const later = new Date(Date.now() + 60_000).toISOString();
    const names = async (startedAt: string) =>
      (await findUnansweredCommands(pool, target, startedAt)).map((text) => text.split(' ')[0]).sort();
    expect(await names(new Date(Date.parse(now) - 60_000).toISOString())).toEqual(['AddInstances', 'ChangeDataSet']);
    // A command that began before the purge started may have read a state without the purge.
    expect(await names(later)).toEqual(['AddInstances', 'AddInstances', 'ChangeDataSet']);
    await pool.query(
      `INSERT INTO jobs_b1.import_jobs (job_id, job_type, status, data_set_ids)
       VALUES (1, 'VALIDATION', 'PENDING', $1), (2, 'VALIDATION', 'DONE', $1), (3, 'VALIDATION', 'PENDING', $2)`,
      [[PURGED.dataSet], [KEPT.dataSet]],
    );
    await pool.query(
      `INSERT INTO command.bulk_decisions (job_id, command_id, selection, batch) VALUES
         (4, gen_random_uuid(), $1, NULL), (5, gen_random_uuid(), NULL, $2), (6, gen_random_uuid(), $3, NULL)`,
      [
        JSON.stringify({ parent_id: PURGED.crosswalk, items: [] }),
        JSON.stringify({ streams: [[`instances-${PURGED.dataSet}.3`, 1]] }),
        JSON.stringify({ parent_id: KEPT.crosswalk, items: [] }),
      ],
    );
    expect((await runningJobs(pool, target)).sort()).toEqual([1, 4, 5]);
  });
});

/** Returns the files of PostgreSQL that contain a text. */
function filesWith(text: string): string[] {
  try {
    const found = execFileSync('grep', ['-r', '-l', '-a', '-F', text, join(root, 'postgres')], { encoding: 'utf8' });
    return found.trim().split('\n');
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

it('cleanPostgres removes the bytes of purged rows from all files of PostgreSQL', async () => {
  const marker = `m${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
  await fill(PURGED, marker, 100);
  await fill(KEPT, 'stays', 200);
  await pool.query('ANALYZE');
  await pool.query('CHECKPOINT');
  const before = filesWith(marker);
  expect(before.some((path) => path.includes('/pg_wal/'))).toBe(true);
  expect(before.some((path) => path.includes('/base/'))).toBe(true);
  await transaction(pool, (db) => deleteRows(db, target));
  await pool.query('TRUNCATE jobs_b1.import_jobs, audit_b1.audit_logs');
  expect(filesWith(marker)).not.toEqual([]);
  expect(await cleanPostgres(pool, concernedTables('dataSets'))).toEqual([]);
  expect(filesWith(marker)).toEqual([]);
});
