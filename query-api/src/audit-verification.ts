/** Verifying the audit log: every row against its event in the store, read beside each other, and the chain through all. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainVerification } from '@rdm/contracts';
import type { EventStore, LoggedEvent } from '@rdm/platform';
import { type AuditRow, difference, expectedRow, GENESIS } from './audit-chain.ts';

/** A head that was exported before, or undefined. */
export interface ExportedHead {
  seq: number;
  chainHash: string;
}

export interface VerificationOptions {
  store: Pick<EventStore, 'subscribeToAll' | 'head'>;
  /** All stored rows by seq, in batches. */
  rows: AsyncIterable<readonly AuditRow[]>;
  exported?: ExportedHead | undefined;
  /** Silence after which the log is taken to have ended, once the store answers again. */
  patienceMs?: number;
}

const PATIENCE_MS = 1_000;

export async function verifyChain({
  store,
  rows,
  exported,
  patienceMs = PATIENCE_MS,
}: VerificationOptions): Promise<ChainVerification> {
  const reading = new AbortController();
  const events = inOrder(store, reading.signal, patienceMs);
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
        const event = await events.next();
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
    reading.abort();
    events.close();
  }
}

/** Product events in log order; undefined where the log ends, which a subscription itself never says. */
function inOrder(store: VerificationOptions['store'], signal: AbortSignal, patienceMs: number) {
  const events = store.subscribeToAll(null, signal)[Symbol.asyncIterator]();
  const within = async (coming: Promise<IteratorResult<LoggedEvent>>) => {
    const patience = new AbortController();
    const silence = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
    const arrived = await Promise.race([coming, silence]);
    patience.abort();
    return arrived;
  };
  return {
    async next(): Promise<LoggedEvent | undefined> {
      const coming = events.next();
      let arrived = await within(coming);
      if (arrived === undefined) {
        // The silence of a store that is away is not the end of the log: then this throws, and so does the request.
        await store.head();
        arrived = await within(coming);
      }
      return arrived === undefined || arrived.done ? undefined : arrived.value;
    },
    close: () => void events.return?.(),
  };
}
