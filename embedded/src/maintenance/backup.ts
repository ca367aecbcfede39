/** Writes a backup: the log up to a cut and the tables of a later snapshot, in one signed file. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, loadSigningKey, type Pool } from '@rdm/platform';
import { Chain } from './chain.ts';
import { MaintenanceError } from './errors.ts';
import {
  type BackupHeader,
  type CopiedTable,
  type Cut,
  FORMAT,
  FORMAT_WITH_PURGES,
  HEADER,
  type LogRecord,
  logEntry,
  SEQUENCES,
  SIGNING_KEY,
  TRAILER,
  tableEntry,
} from './format/entries.ts';
import { encodeRecord } from './format/records.ts';
import { type EntryContent, groupRows, recordGroup } from './format/row-entries.ts';
import { openWriter, UNFINISHED } from './format/writer.ts';
import type { FreeSpace } from './free-space.ts';
import type { LogSource } from './log-source.ts';
import { withMaintenanceLock } from './maintenance-lock.ts';
import { withoutPurged } from './purged-records.ts';
import { fingerprintOf, signedBytes } from './signature.ts';
import { copyRows, readSequences, TEXT_FORMAT, tablesToCopy } from './tables.ts';

export interface BackupProgress {
  phase: 'tables' | 'log' | 'finishing';
  /** The number of uncompressed bytes written so far. */
  done: number;
  /** The total number of bytes; an estimate until the backup has ended. */
  total: number;
}

export interface BackupOptions {
  /** A part of the file's name: letters, digits and underscores; random by default. */
  id?: string;
  /** The folder for the file; it is created if it does not exist. */
  folder: string;
  pool: Pool;
  source: LogSource;
  /** The PEM file of the private signing key. Encrypted backups contain a copy of the key. */
  signingKeyFile: string;
  productVersion: string;
  sessionSecret: string;
  /** Without a passphrase, the file is not encrypted. */
  passphrase?: string | undefined;
  /** Whether to back up a log that lacks projected events, as the safety copy before a restore does. */
  acceptsMissingEvents?: boolean;
  /** Pause after each piece of work, as a multiple of the duration of the piece; 0 if the product is stopped. */
  pauseFactor?: number;
  onProgress?: (progress: BackupProgress) => void;
  signal?: AbortSignal;
  /** Replaced by tests. */
  freeSpace?: FreeSpace;
}

export interface CompletedBackup {
  fileName: string;
  bytes: number;
  sha256: string;
  cut: Cut;
  /** The hash of the audit log at the cut, for comparison; null if the audit log has not reached the cut yet. */
  auditChainHash: string | null;
  /** The number of product events up to the cut. */
  events: number;
  encrypted: boolean;
  keyId: string;
}

const ID_BYTES = 4;
const DEFAULT_PAUSE_FACTOR = 1;

/**
 * Rejects with a `MaintenanceError` (`MAINTENANCE_RUNNING`, `DISK_SPACE`, `LOG_SHORTER`), with the reason of the
 * signal, or with the error of a store or of the signing key. A rejected backup leaves no file. A killed process leaves
 * `<name>.part`. At its next start, the maintenance process deletes such files in the folder of the backups.
 *
 * Log and tables match, because the snapshot is taken after the cut is chosen (docs/decisions/0082). The log up to the
 * cut cannot change, because no scavenge runs. All rows that an event up to the cut needs were committed before the
 * event was appended, so the snapshot contains them.
 */
export async function createBackup(options: BackupOptions): Promise<CompletedBackup> {
  const { folder, pool } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return withMaintenanceLock(pool, (client) => writeBackup(options, client));
}

/** Deletes the files of interrupted backups, except names for which `isKept` is true; returns the deleted names. */
export async function removeUnfinished(
  folder: string,
  isKept: (name: string) => boolean = () => false,
): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(PREFIX) && name.endsWith(UNFINISHED) && !isKept(name),
  );
  for (const name of names) await rm(join(folder, name));
  return names;
}

async function writeBackup(options: BackupOptions, client: Client): Promise<CompletedBackup> {
  const { folder, source, signingKeyFile, passphrase, freeSpace, signal = new AbortController().signal } = options;
  const signingKey = loadSigningKey(signingKeyFile);
  const createdAt = new Date();
  const encrypted = passphrase !== undefined;
  const fileName = fileNameOf(createdAt, options.id, encrypted);
  const writer = await openWriter({ folder, fileName, passphrase, freeSpace, signal });
  try {
    const pause = pacer(options.pauseFactor ?? DEFAULT_PAUSE_FACTOR, signal);
    const position = await headOf(options, client);
    const purged = await source.purged();
    const report = progressOf(options, position === null ? 0 : source.bytesUpTo(position));
    const add: AddEntry = async (name, content, rows) => {
      await writer.add(name, content, rows);
      report(content.length);
      await pause();
    };

    // The first query of the transaction takes the snapshot.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(TEXT_FORMAT);
    const tables = await tablesToCopy(client);
    report.expect(tables.reduce((sum, { bytes }) => sum + bytes, 0));
    const format = purged.manifests.length === 0 ? FORMAT : FORMAT_WITH_PURGES;
    const header = await headerOf(options, client, { format, position, createdAt, tables });
    await add(HEADER, json(header));
    if (encrypted) await add(SIGNING_KEY, await readFile(signingKeyFile));
    for (const table of header.tables) await copyTable(client, table, add);
    await add(SEQUENCES, json(await readSequences(client)));
    await client.query('COMMIT');

    report.begin('log');
    const chain = await copyLog(
      withoutPurged(position === null ? [] : source.events(position, signal), purged),
      signal,
      add,
    );

    report.begin('finishing');
    // This query fails if the connection, and with it the lock, was lost: a scavenge can then have changed the log.
    const auditChainHash = await auditChainHashAt(client, chain.seq);
    const cut: Cut = { position: header.cut.position, seq: chain.seq, chainHash: chain.hash };
    const { keyId, publicKey } = signingKey;
    const trailer = {
      ...{ cut, events: chain.seq, entries: [...writer.entries], purges: chain.purges, keyId, publicKey },
    };
    const signature = signingKey.sign(signedBytes(trailer)).toString('base64');
    await writer.add(TRAILER, json({ ...trailer, signature }));
    signal.throwIfAborted();
    const { bytes, sha256 } = await writer.finish();
    return { fileName, bytes, sha256, cut, auditChainHash, events: chain.seq, encrypted, keyId };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/**
 * Returns the head of the log. A log without all projected events is another log or an older copy: throws `LOG_SHORTER`
 * unless `acceptsMissingEvents` is set.
 */
async function headOf({ source, acceptsMissingEvents }: BackupOptions, client: Client): Promise<bigint | null> {
  // Read the position of the read models first: events can be projected between the two reads.
  const { rows } = await client.query<{ position: string }>('SELECT commit_position AS position FROM platform.reader');
  const projected = BigInt(rows[0]?.position ?? 0);
  const head = await source.head();
  if (acceptsMissingEvents || projected <= (head ?? 0n)) return head;
  const log = head === null ? 'The event log is empty' : `The event log ends with the event at position ${head}`;
  throw new MaintenanceError(
    'LOG_SHORTER',
    `${log}, but the read models hold events up to position ${projected}. Set EVENTSTORE_URL and DATABASE_URL as for npm start, or put the newer log back.`,
  );
}

type AddEntry = (name: string, content: Buffer, rows?: number) => Promise<void>;

async function copyTable(client: Client, table: CopiedTable, add: AddEntry): Promise<void> {
  let number = 0;
  for await (const { content, rows } of groupRows(copyRows(client, table))) {
    await add(tableEntry(table.name, ++number), content, rows);
  }
}

/** Copies the log; returns the hash chain of its events. */
async function copyLog(batches: AsyncIterable<LogRecord[]>, signal: AbortSignal, add: AddEntry): Promise<Chain> {
  const chain = new Chain();
  const group = recordGroup();
  let number = 0;
  const addRecords = async (entry: EntryContent | undefined) => {
    if (entry) await add(logEntry(++number), entry.content, entry.rows);
  };
  for await (const events of batches) {
    signal.throwIfAborted();
    for (const event of events) {
      chain.add(event);
      await addRecords(group.add(encodeRecord(event)));
    }
  }
  await addRecords(group.take());
  return chain;
}

/** Returns the hash of the audit log at a seq; null if no serving build of the audit log has reached the seq. */
async function auditChainHashAt(client: Client, seq: number): Promise<string | null> {
  const builds = await client.query<{ schema_name: string }>(
    `SELECT schema_name FROM platform.builds WHERE name = 'audit_log' AND serving`,
  );
  const schema = builds.rows[0]?.schema_name;
  if (schema === undefined) return null;
  const { rows } = await client.query<{ chain_hash: string }>(
    `SELECT chain_hash FROM ${schema}.audit_logs WHERE seq = $1`,
    [seq],
  );
  return rows[0]?.chain_hash ?? null;
}

async function headerOf(
  { productVersion, sessionSecret }: BackupOptions,
  client: Client,
  {
    format,
    position,
    createdAt,
    tables,
  }: { format: number; position: bigint | null; createdAt: Date; tables: CopiedTable[] },
): Promise<BackupHeader> {
  const migrations = await client.query<{ name: string }>('SELECT name FROM platform.migrations ORDER BY id');
  const reader = await client.query<{ log_id: string }>('SELECT log_id FROM platform.reader');
  return {
    format,
    product: { version: productVersion },
    migrations: migrations.rows.map(({ name }) => name),
    logId: reader.rows[0]?.log_id ?? '',
    createdAt: createdAt.toISOString(),
    cut: { position: position === null ? null : String(position) },
    sessionSecretFingerprint: fingerprintOf(sessionSecret),
    tables: tables.map(({ name, columns }) => ({ name, columns })),
  };
}

const PREFIX = 'rdm-';

function fileNameOf(at: Date, id: string | undefined, encrypted: boolean): string {
  const instant = at.toISOString().replace(/[-:]|\.\d+/g, '');
  return `${PREFIX}${instant}-${id ?? randomBytes(ID_BYTES).toString('hex')}.tar.gz${encrypted ? '.age' : ''}`;
}

const json = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/**
 * Returns a function that pauses for a multiple of the time since its last pause, so that other processes can use the
 * processor.
 */
function pacer(multiple: number, signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal.throwIfAborted();
    if (multiple > 0) await sleep((performance.now() - since) * multiple, undefined, { signal });
    since = performance.now();
  };
}

/** Reports progress. The total is an estimate, which is corrected to the measured sizes at the end of each phase. */
function progressOf({ onProgress }: BackupOptions, logBytes = 0) {
  let phase: BackupProgress['phase'] = 'tables';
  let done = 0;
  let total = logBytes;
  const report = (bytes: number) => {
    done += bytes;
    onProgress?.({ phase, done, total: Math.max(done, total) });
  };
  return Object.assign(report, {
    expect(bytes: number) {
      total += bytes;
    },
    begin(next: BackupProgress['phase']) {
      phase = next;
      total = next === 'log' ? done + logBytes : done;
      report(0);
    },
  });
}
