/** The names, the order and the JSON of the entries of a backup, formats 1 and 2 (docs/decisions/0081). */
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { z } from 'zod';

export const FORMAT = 1;
/** The format of a backup with records in place of purged events. Versions that read only format 1 refuse it. */
export const FORMAT_WITH_PURGES = 2;

/** The maximum number of bytes of rows or records in an entry. A larger row or record gets a separate entry. */
export const ENTRY_SIZE = 8 * 1024 * 1024;

/** The first entry. */
export const HEADER = 'header.json';
/** The last entry. A file without the trailer is incomplete. */
export const TRAILER = 'trailer.json';
export const SEQUENCES = 'sequences.json';
/** The private signing key, in encrypted files only. */
export const SIGNING_KEY = 'signing-key.pem';

const numberedEntry = (folder: string, number: number, digits: number) =>
  `${folder}/${String(number).padStart(digits, '0')}`;
export const logEntry = (number: number): string => numberedEntry('log', number, 6);
export const tableEntry = (table: string, number: number): string => numberedEntry(`tables/${table}`, number, 4);
/** Returns the table of an entry of rows; undefined for other entries. */
export const tableOfEntry = (entry: string): string | undefined => /^tables\/(.+)\/\d+$/.exec(entry)?.[1];

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Position = z.string().regex(/^\d+$/);

/** A copied table: its name `<schema>.<name>`, and its columns in the order of the rows, without generated columns. */
export const CopiedTable = z.object({ name: z.string(), columns: z.array(z.string()) });
export type CopiedTable = z.infer<typeof CopiedTable>;

export const BackupHeader = z.object({
  format: z.number().int().positive(),
  product: z.object({ version: z.string() }),
  /** The migrations of the database, in the order in which they ran. */
  migrations: z.array(z.string()),
  /** `platform.reader.log_id`. */
  logId: z.uuid(),
  createdAt: z.iso.datetime(),
  /** The commit position of the last event; null for an empty log. The trailer has the seq and the chain hash. */
  cut: z.object({ position: Position.nullable() }),
  /** By this fingerprint, a restore detects whether the installation has the same session secret. */
  sessionSecretFingerprint: z.string(),
  /** The tables in the order of the entries: each table follows the tables that it references. */
  tables: z.array(CopiedTable),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

/** The state of a sequence, as arguments of `setval`. */
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
  /** The number of rows or records; 0 for other entries. */
  rows: z.number().int().nonnegative(),
});
export type EntrySummary = z.infer<typeof EntrySummary>;

/** The end of the log of a backup; seq 0 and position null for an empty log. */
export const Cut = z.object({
  position: Position.nullable(),
  seq: z.number().int().nonnegative(),
  chainHash: Sha256,
});
export type Cut = z.infer<typeof Cut>;

export const BackupTrailer = z.object({
  cut: Cut,
  /** The number of product events, including purged events. */
  events: z.number().int().nonnegative(),
  entries: z.array(EntrySummary),
  /** The purges whose events the file does not contain, in the order of their registration. */
  purges: z.array(z.string()),
  keyId: z.string(),
  /** The public key that verifies the signature, as PEM (SPKI). */
  publicKey: z.string(),
  /** The Ed25519 signature of the canonical JSON of the trailer without this property, as base64. */
  signature: z.string(),
});
export type BackupTrailer = z.infer<typeof BackupTrailer>;

/**
 * A stored event, or a record in place of a purged event. Has no position, because a restored log may have other
 * positions.
 */
export type LogRecord = RawEvent;

/** The parts that `readBackup` yields, in the order of the file: the header first, the trailer last. */
export type BackupPart =
  | { kind: 'header'; header: BackupHeader }
  | { kind: 'signingKey'; pem: string }
  /** `content` has complete rows as text for `COPY <table> (<columns>) FROM STDIN`. */
  | { kind: 'rows'; entry: string; table: CopiedTable; rows: number; content: Buffer }
  | { kind: 'sequences'; sequences: SequenceState[] }
  | { kind: 'records'; entry: string; records: LogRecord[] }
  | { kind: 'trailer'; trailer: BackupTrailer };
