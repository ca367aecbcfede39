/** Verifies an export of the log against a signed head, with no other input than a public key. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type ChainVerification,
  describeVerification,
  digestMismatchReason,
  type EventMetadata,
  missingEventReason,
  newerThanHeadNote,
  type PurgedEvent,
  SIGNING_KEYS_STREAM,
  type SignedHead,
  streams,
} from '@rdm/contracts';
import { isSigned, keyIdOf, ManifestCheck, type PurgedEntry, signedHead, type UnprovedPurge } from '@rdm/platform';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import { lineOf } from '@rdm/platform/event-store/purge-manifest';
import { MaintenanceError } from './errors.ts';

export interface VerifyLogOptions {
  head: SignedHead;
  /** Trusted public keys (PEM). */
  keys: readonly string[];
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

interface EventLine {
  seq: number;
  stream: string;
  revision: number;
  id: string;
  type: string;
  metadata: EventMetadata;
  data: unknown;
  digest: string;
}
type Line = EventLine | PurgedEntry | { head: Omit<SignedHead, 'keyId' | 'signature'> | null };

/** The seq of the first line that fails the verification, and the reason. */
type Broken = NonNullable<ChainVerification['brokenAt']>;

/** Thrown at the first line that fails the verification, to end the reading. */
class BrokenLine extends Error {
  readonly seq: number;
  constructor(seq: number, reason: string) {
    super(reason);
    this.seq = seq;
  }
}

/** Verifies an export. Rejects with a `MaintenanceError` (`UNKNOWN_KEY`) if none of the keys signed the head. */
export async function verifyLog(file: string, options: VerifyLogOptions): Promise<ChainVerification> {
  requireSignedHead(options);
  const reading = new LogReading(options);
  let brokenAt = await readWhole(file, options, reading);
  if (brokenAt === null) {
    const [unproved] = reading.unproved();
    brokenAt = unproved ? await findDifference(file, unproved) : reading.hashDifference();
  }
  const { seq, hash, notes, purged } = reading;
  const result = { verified: brokenAt ? brokenAt.seq - 1 : seq, brokenAt, purged, purges: reading.purges() };
  return {
    ...result,
    intact: brokenAt === null,
    head: brokenAt ? null : { seq, chainHash: hash },
    notes: brokenAt ? [] : notes(),
    summary: describeVerification(result),
  };
}

function requireSignedHead({ head, keys }: VerifyLogOptions): void {
  const key = keys.find((each) => keyIdOf(each) === head.keyId);
  if (key !== undefined && isSigned(signedHead(head), head.signature, head.keyId, key)) return;
  const problem =
    key === undefined
      ? `The head is signed by the key ${head.keyId}, which --key does not name`
      : `The signature of the head does not match its key ${head.keyId}`;
  throw new MaintenanceError('UNKNOWN_KEY', `${problem}. Use the head and the public key of this installation.`);
}

async function readWhole(file: string, options: VerifyLogOptions, reading: LogReading): Promise<Broken | null> {
  try {
    for await (const line of readLines(file, options)) reading.add(line);
    reading.end();
    return null;
  } catch (error) {
    if (error instanceof BrokenLine) return { seq: error.seq, reason: error.message };
    const code = String((error as NodeJS.ErrnoException).code);
    if (!code.startsWith('Z_')) throw error;
    return { seq: reading.seq + 1, reason: 'The file is cut off or damaged here' };
  }
}

/** Checks the lines of an export in their order. */
class LogReading {
  seq = 0;
  hash = GENESIS;
  purged = 0;
  readonly #head: SignedHead;
  readonly #check: ManifestCheck;
  /** A line with a greater seq than expected. The next line shows whether an event is missing or out of order. */
  #early: Line | undefined;
  #hashAtHead: string | undefined;
  /** The last line of the export. It has the head at the time of the export. */
  #headLine: Extract<Line, { head: unknown }> | undefined;

  constructor({ head, keys }: VerifyLogOptions) {
    this.#head = head;
    this.#check = new ManifestCheck(new Map(keys.map((key) => [keyIdOf(key), key])));
  }

  add(line: Line): void {
    if (this.#headLine) throw this.#broken('A line follows the head, which must be the last line');
    const due = this.seq + 1;
    if (this.#early) {
      const isSwapped = 'seq' in line && line.seq === due;
      throw this.#broken(isSwapped ? `Event ${due} is out of order` : missingEventReason(due));
    }
    if ('head' in line) {
      this.#headLine = line;
      return;
    }
    if (line.seq > due) {
      this.#early = line;
      return;
    }
    if (line.seq < due) throw this.#broken(`Event ${line.seq} is in the place of event ${due}`);
    if ('purgeId' in line) {
      this.#check.addEntry(line);
      this.purged += 1;
    } else {
      if (digestOf({ ...line }) !== line.digest) throw this.#broken(digestMismatchReason(due));
      // Ignore keys that were registered after the head: the head does not prove them.
      if (line.stream !== SIGNING_KEYS_STREAM || due <= this.#head.seq) this.#check.addEvent(line, due);
    }
    this.seq = due;
    this.hash = linkTo(this.hash, line.digest);
    if (this.seq === this.#head.seq) this.#hashAtHead = this.hash;
  }

  end(): void {
    if (this.#early) throw this.#broken(missingEventReason(this.seq + 1));
    if (this.#headLine === undefined) throw this.#broken('The file is incomplete: its last line, the head, is missing');
    if (this.seq < this.#head.seq)
      throw this.#broken(`The export ends before the head, which is event ${this.#head.seq}`);
  }

  /** Returns the purges whose entries no valid manifest proves. Call this once, after the last line. */
  unproved(): UnprovedPurge[] {
    return this.#check.unproved();
  }

  /** Returns null if the chain matches the signed head and the head in the last line. */
  hashDifference(): Broken | null {
    const { seq } = this.#head;
    if (this.#hashAtHead !== this.#head.chainHash) {
      return {
        seq,
        reason: `The chain hash at event ${seq} differs from the hash in the head: this event or an earlier one was replaced`,
      };
    }
    if (this.#headLine?.head?.chainHash === this.hash && this.#headLine.head.seq === this.seq) return null;
    return { seq: this.seq, reason: 'The head in the last line does not match the events before it' };
  }

  purges(): ChainVerification['purges'] {
    const nameOf = (id: number | null) => (id === null ? null : `user ${id}`);
    return this.#check.manifests.map(({ purgeId, events, sealedAt, requestedBy, confirmedBy, reason }) => ({
      ...{ purgeId, events, at: sealedAt, reason },
      ...{ requestedBy: nameOf(requestedBy), confirmedBy: nameOf(confirmedBy) },
    }));
  }

  notes = (): string[] => {
    const { seq, logId } = this.#head;
    const notes = [...this.#check.registered]
      .filter(([, registeredSeq]) => registeredSeq > seq)
      .map(([purgeId]) => newerThanHeadNote(purgeId));
    if (this.seq > seq)
      notes.push(
        `Events after ${seq} are newer than the exported head that you compare with: only a later head proves them`,
      );
    if (this.#headLine?.head?.logId !== logId) {
      notes.push(
        'The head names another log than the export: the log was restored from a backup after one of them was exported',
      );
    }
    return notes;
  };

  #broken(reason: string): BrokenLine {
    return new BrokenLine(this.seq + 1, reason);
  }
}

/**
 * Reads the file again to find a difference between the entries of a purge and the manifest. Returns the `seq` of the
 * purge if its manifest is missing or invalid, or if the log does not register the purge.
 */
async function findDifference(
  file: string,
  { purgeId, seq, problem, namesOtherEvents }: UnprovedPurge,
): Promise<Broken> {
  if (!namesOtherEvents) return { seq, reason: problem ?? missingEventReason(seq) };
  const named = new Map<number, string>();
  for await (const line of readLines(file)) {
    if (!('stream' in line) || line.stream !== streams.purge(purgeId) || line.type !== 'PurgeManifestPart') continue;
    for (const event of (line.data as { events: PurgedEvent[] }).events) named.set(event.seq, lineOf(event));
  }
  for await (const line of readLines(file)) {
    if (!('purgeId' in line) || line.purgeId !== purgeId) continue;
    const { purgeId: _, ...entry } = line;
    const text = named.get(entry.seq);
    if (text === undefined) return { seq: entry.seq, reason: missingEventReason(entry.seq) };
    if (text !== lineOf(entry)) return { seq: entry.seq, reason: digestMismatchReason(entry.seq) };
    named.delete(entry.seq);
  }
  const [missing] = named.keys();
  return { seq: missing ?? seq, reason: problem ?? missingEventReason(seq) };
}

const GZIP = 0x8b1f;

async function isCompressed(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16LE() === GZIP;
  } finally {
    await handle.close();
  }
}

async function* readLines(
  file: string,
  { onProgress, signal }: Pick<VerifyLogOptions, 'onProgress' | 'signal'> = {},
): AsyncGenerator<Line> {
  const { size: total } = await stat(file);
  const isGzip = await isCompressed(file);
  const bytes = createReadStream(file);
  const text: Readable = isGzip ? bytes.pipe(createGunzip()) : bytes;
  // readline does not report errors of its input.
  let failure: Error | undefined;
  const lines = createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
  for (const stream of [bytes, text]) {
    stream.once('error', (error: Error) => {
      failure = error;
      lines.close();
    });
  }
  let number = 0;
  try {
    for await (const line of lines) {
      signal?.throwIfAborted();
      number += 1;
      onProgress?.({ done: bytes.bytesRead, total });
      yield parseLine(line, number);
    }
    if (failure) throw failure;
  } finally {
    lines.close();
    bytes.destroy();
  }
}

function parseLine(text: string, number: number): Line {
  try {
    const line = JSON.parse(text) as Line;
    if ('head' in line || typeof line.digest === 'string') return line;
  } catch {
    // The error below reports the line.
  }
  throw new BrokenLine(number, `Line ${number} cannot be read: it is cut off, or it is not a line of an export`);
}
