/** Verifies the audit log: compares every row with its event in the store or with its manifest, and checks the chain. */
import {
  type ChainVerification,
  describeVerification,
  FORMER_USER,
  missingEvent,
  newerThanHead,
  scavengeDue,
  type VerifiedPurge,
} from '@rdm/contracts';
import {
  DueStubs,
  type EventStore,
  isMark,
  type LoggedEvent,
  type LogPosition,
  Purged,
  PurgedEvents,
  type PurgeManifest,
} from '@rdm/platform';
import { type AuditRow, difference, differenceFromStub, expectedRow, GENESIS } from './audit-chain.ts';

/** A head that was exported before. */
export interface ExportedHead {
  seq: number;
  chainHash: string;
}

export interface VerificationOptions {
  store: Pick<EventStore, 'subscribeToAll' | 'read'>;
  /** All stored rows by seq, in batches. */
  rows: AsyncIterable<readonly AuditRow[]>;
  exported?: ExportedHead | undefined;
  /** The names of users by id, for the words about purges. */
  readUsernames: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
}

type Found = Pick<ChainVerification, 'verified' | 'head' | 'brokenAt' | 'purged'>;

export async function verifyChain(options: VerificationOptions): Promise<ChainVerification> {
  const purged = new PurgedEvents(options.store);
  const invalid: InvalidPurge[] = [];
  await purged.load(({ purgeId, message }) => {
    invalid.push({ seq: purged.registered(purgeId)?.firstSeq ?? 1, reason: message });
  });
  const log = new StoredLog(options.store, purged);
  const found = await verifyRows(options, log, invalid);
  const purges = await toVerifiedPurges(purged.manifests, options.readUsernames);
  const notes = found.brokenAt === null && log.purgedStored > 0 ? [scavengeDue(log.purgedStored)] : [];
  const { exported } = options;
  if (exported) {
    const newer = purged.manifests.filter(({ purgeId }) => (log.sealedAt.get(purgeId) ?? 0) > exported.seq);
    notes.push(...newer.map(({ purgeId }) => newerThanHead(purgeId)));
  }
  const intact = found.brokenAt === null;
  return { intact, ...found, purges, notes, summary: describeVerification({ ...found, purges }) };
}

/** A purge whose manifest proves nothing, at its first event. */
type InvalidPurge = NonNullable<ChainVerification['brokenAt']>;

async function verifyRows(
  { store, rows, exported }: VerificationOptions,
  log: StoredLog,
  invalid: readonly InvalidPurge[],
): Promise<Found> {
  let purged = 0;
  let head: Found['head'] = null;
  const broken = (seq: number, reason: string): Found => ({
    ...{ verified: head?.seq ?? 0, head, purged },
    brokenAt: { seq, reason },
  });
  let isExportedFound = exported === undefined;
  try {
    for await (const batch of rows) {
      for (const row of batch) {
        const seq: number = (head?.seq ?? 0) + 1;
        const previous: string = head?.chainHash ?? GENESIS;
        if (row.seq !== seq) return broken(seq, `The row ${seq} is missing`);
        const unproved = invalid.find((purge) => purge.seq === seq);
        if (unproved) return broken(seq, unproved.reason);
        const stub = await log.stub(seq);
        if (stub) {
          const why = differenceFromStub(row, stub, previous);
          if (why !== null) return broken(seq, why);
          purged += 1;
        } else {
          const event = await log.next(seq);
          if (
            event === undefined ||
            row.purgeId !== null ||
            (event.id !== row.eventId && !(await isStored(store, row)))
          ) {
            return broken(seq, missingEvent(seq));
          }
          const why = difference(row, expectedRow(event, seq, previous));
          if (why !== null) return broken(seq, why);
        }
        head = { seq, chainHash: row.chainHash };
        if (exported?.seq === seq) {
          if (exported.chainHash !== row.chainHash) return broken(seq, 'The exported head is another one');
          isExportedFound = true;
        }
      }
    }
    const verified = head?.seq ?? 0;
    if (!isExportedFound) return broken(verified + 1, `The log ends before the exported head ${exported?.seq}`);
    return { verified, head, brokenAt: null, purged };
  } finally {
    await log.close();
  }
}

/** Whether the store still has the event that a row names. */
async function isStored(store: VerificationOptions['store'], { stream, streamRevision, eventId }: AuditRow) {
  if (stream === null || streamRevision === null) return false;
  try {
    for await (const { id } of store.read(stream, streamRevision, 1)) return id === eventId;
  } catch (error) {
    if (!(error instanceof Purged)) throw error;
  }
  return false;
}

/** The log without the events of purged streams, and the entries that stand for them. */
class StoredLog {
  /** Purged events that the store still has. */
  purgedStored = 0;
  /** The seq of each purge's registration. */
  readonly sealedAt = new Map<number, number>();
  readonly #events: AsyncGenerator<LoggedEvent, undefined>;
  readonly #purged: PurgedEvents;
  #due: DueStubs | undefined;

  constructor(store: VerificationOptions['store'], purged: PurgedEvents) {
    this.#purged = purged;
    this.#events = eventsInOrder(store);
  }

  /** The entry of a purged event. */
  async stub(seq: number) {
    this.#due ??= await DueStubs.after(this.#purged, 0);
    return this.#due.isDue(seq) ? this.#due.take() : undefined;
  }

  /** The next event; undefined at the end of the log. */
  async next(seq: number): Promise<LoggedEvent | undefined> {
    for (;;) {
      const { value: event } = await this.#events.next();
      if (event === undefined) return undefined;
      if (this.#purged.purgeOf(event.stream, event.revision) === undefined) {
        if (event.type === 'PurgeRegistered') this.sealedAt.set((event.data as { purgeId: number }).purgeId, seq);
        return event;
      }
      this.purgedStored += 1;
    }
  }

  close(): Promise<unknown> {
    return this.#events.return(undefined);
  }
}

async function toVerifiedPurges(
  manifests: readonly PurgeManifest[],
  readUsernames: VerificationOptions['readUsernames'],
): Promise<VerifiedPurge[]> {
  const ids = manifests.flatMap(({ requestedBy, confirmedBy }) => [requestedBy, confirmedBy]);
  const names =
    manifests.length === 0 ? new Map<number, string>() : await readUsernames(ids.filter((id) => id !== null));
  const nameOf = (id: number | null) => (id === null ? null : (names.get(id) ?? FORMER_USER));
  return manifests.map(({ purgeId, events, sealedAt, requestedBy, confirmedBy, reason }) => ({
    ...{ purgeId, events, at: sealedAt, reason },
    ...{ requestedBy: nameOf(requestedBy), confirmedBy: nameOf(confirmedBy) },
  }));
}

/**
 * Product events in log order. A subscription delivers the log up to the moment when it has caught up; only one that
 * delivers nothing more is the end of the log, as every row was projected from an event appended before. A subscription
 * that the store ends early is continued; one that ends without any event throws.
 */
async function* eventsInOrder(store: VerificationOptions['store']): AsyncGenerator<LoggedEvent, undefined> {
  let last: LogPosition | null = null;
  for (let hasMore = true; hasMore; ) {
    hasMore = false;
    let isCaughtUp = false;
    try {
      for await (const item of store.subscribeToAll(last, NEVER)) {
        isCaughtUp = isMark(item) && item.isCaughtUp === true;
        if (isCaughtUp) break;
        if (isMark(item)) continue;
        hasMore = true;
        last = { commit: item.position, prepare: item.prepare };
        yield item;
      }
    } catch (error) {
      if (!hasMore) throw error;
    }
    if (!isCaughtUp && !hasMore) throw new Error('The event store ended the subscription before it delivered anything');
  }
  return undefined;
}

/** The generator ends the subscription by leaving its loop. */
const NEVER = new AbortController().signal;
