/** Verifying the audit log: every row against its event in the store, read beside each other, and the chain through all. */
import type { ChainVerification } from '@rdm/contracts';
import type { EventStore, LoggedEvent, LogPosition } from '@rdm/platform';
import { type AuditRow, difference, expectedRow, GENESIS } from './audit-chain.ts';

/** A head that was exported before, or undefined. */
export interface ExportedHead {
  seq: number;
  chainHash: string;
}

export interface VerificationOptions {
  store: Pick<EventStore, 'readAll'>;
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
 * Product events in log order. A read ends where the log ended when the read began: only a read that finds nothing more is
 * the end of the log, because every row was projected from an event that was appended before the row was read.
 */
async function* eventsInOrder(store: VerificationOptions['store']): AsyncGenerator<LoggedEvent, undefined> {
  let last: LogPosition | null = null;
  for (let isEnd = false; !isEnd; ) {
    isEnd = true;
    for await (const event of store.readAll(last)) {
      isEnd = false;
      last = { commit: event.position, prepare: event.prepare };
      yield event;
    }
  }
  return undefined;
}
