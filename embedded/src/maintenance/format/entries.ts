/** The entries of a backup, format 1 (docs/decisions/0081): their names, their order and their JSON. */
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { z } from 'zod';

export const FORMAT = 1;
/** Its log has records that replace purged events: versions that read only format 1 would write them into a restored log. */
export const FORMAT_WITH_PURGES = 2;

/** An entry ends before the row or record that would make it larger; a larger one has an entry of its own. */
export const ENTRY_SIZE = 8 * 1024 * 1024;

/** A file is complete if it ends with the trailer; the header begins it. */
export const HEADER = 'header.json';
export const TRAILER = 'trailer.json';
export const SEQUENCES = 'sequences.json';
/** The private signing key, in encrypted files only. */
export const SIGNING_KEY = 'signing-key.pem';

const numbered = (folder: string, number: number, digits: number) =>
  `${folder}/${String(number).padStart(digits, '0')}`;
export const logEntry = (number: number): string => numbered('log', number, 6);
export const tableEntry = (table: string, number: number): string => numbered(`tables/${table}`, number, 4);
/** The table of an entry; undefined for other entries. */
export const tableOfEntry = (entry: string): string | undefined => /^tables\/(.+)\/\d+$/.exec(entry)?.[1];

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Position = z.string().regex(/^\d+$/);

/** A copied table: `<schema>.<name>`, and the columns of its rows in their order. Generated columns are left out. */
export const CopiedTable = z.object({ name: z.string(), columns: z.array(z.string()) });
export type CopiedTable = z.infer<typeof CopiedTable>;

export const BackupHeader = z.object({
  format: z.number().int().positive(),
  product: z.object({ version: z.string() }),
  /** Of the database, in the order in which they ran. */
  migrations: z.array(z.string()),
  /** `platform.reader.log_id`. */
  logId: z.uuid(),
  createdAt: z.iso.datetime(),
  /** The commit position of the last event of the log; null for an empty log. Its seq and chain hash are in the trailer. */
  cut: z.object({ position: Position.nullable() }),
  /** By which a restore recognises the session secret of this installation. */
  sessionSecretFingerprint: z.string(),
  /** In the order of the entries, in which each table follows those that it references. */
  tables: z.array(CopiedTable),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

/** A sequence as `setval` takes it. */
export const SequenceState = z.object({
  name: z.string(),
  lastValue: z.string().regex(/^-?\d+$/),
  isCalled: z.boolean(),
});
export type SequenceState = z.infer<typeof SequenceState>;
export const Sequences = z.array(SequenceState);

/** The description of an entry in the trailer. */
export const EntrySummary = z.object({
  name: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: Sha256,
  /** Rows of a table, records of the log; 0 for other entries. */
  rows: z.number().int().nonnegative(),
});
export type EntrySummary = z.infer<typeof EntrySummary>;

/** The place in the log that a backup ends at; seq 0 and position null for an empty log. */
export const Cut = z.object({
  position: Position.nullable(),
  seq: z.number().int().nonnegative(),
  chainHash: Sha256,
});
export type Cut = z.infer<typeof Cut>;

export const BackupTrailer = z.object({
  cut: Cut,
  /** Product events: those that have a seq. */
  events: z.number().int().nonnegative(),
  entries: z.array(EntrySummary),
  /** Purges whose events the file leaves out, in the order of their registration. */
  purges: z.array(z.string()),
  keyId: z.string(),
  /** PEM (SPKI). */
  publicKey: z.string(),
  /** Ed25519 over the canonical JSON of the trailer without this member, as base64. */
  signature: z.string(),
});
export type BackupTrailer = z.infer<typeof BackupTrailer>;

/** One event of the log as stored, without its position: a restored log may have others. */
export type LogRecord = RawEvent;

/** The parts that `readBackup` yields, in the order of the file: the header first, the trailer last. */
export type BackupPart =
  | { kind: 'header'; header: BackupHeader }
  | { kind: 'signingKey'; pem: string }
  /** `content` is text for `COPY <table> (<columns>) FROM STDIN`: whole rows. */
  | { kind: 'rows'; entry: string; table: CopiedTable; rows: number; content: Buffer }
  | { kind: 'sequences'; sequences: SequenceState[] }
  | { kind: 'records'; entry: string; records: LogRecord[] }
  | { kind: 'trailer'; trailer: BackupTrailer };
