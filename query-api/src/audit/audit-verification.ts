/** Verifies the audit log: compares every row with its event in the store, and checks the chain. */
import type { ChainVerification } from '@rdm/contracts';
import { type EventStore, isMark, type LoggedEvent, type LogPosition } from '@rdm/platform';
import { type AuditRow, difference, expectedRow, GENESIS } from './audit-chain.ts';

/** A head that was exported before. */
export interface ExportedHead {
  seq: number;
  chainHash: string;
}

export interface VerificationOptions {
  store: Pick<EventStore, 'subscribeToAll'>;
  /** All stored rows by seq, in batches. */
  rows: AsyncIterable<readonly AuditRow[]>;
  exported?: ExportedHead | undefined;
}

export async function verifyChain({ store, rows, exported }: VerificationOptions): Promise<ChainVerification> {
  const events = eventsInOrder(store);
  let verified = 0;
  let head: ChainVerification['head'] = null;
  let exportedFound = exported === undefined;
  const broken = (seq: number, reason: string): ChainVerification => ({
    intact: false,
    verified,
    head,
    brokenAt: { seq, reason },
  });
  try {
    for await (const batch of rows) {
      for (const row of batch) {
        const seq = verified + 1;
        if (row.seq !== seq) return broken(seq, `The row ${seq} is missing`);
        const { value: event } = await events.next();
        if (event === undefined) return broken(seq, 'The event is not in the log any more');
        const why = difference(row, expectedRow(event, seq, head?.chainHash ?? GENESIS));
        if (why !== null) return broken(seq, why);
        verified = seq;
        head = { seq, chainHash: row.chainHash };
        if (exported?.seq === seq) {
          if (exported.chainHash !== row.chainHash) return broken(seq, 'The exported head is another one');
          exportedFound = true;
        }
      }
    }
    if (!exportedFound) return broken(verified + 1, `The log ends before the exported head ${exported?.seq}`);
    return { intact: true, verified, head, brokenAt: null };
  } finally {
    await events.return(undefined);
  }
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
