/** Verifying the audit log: every row against its event in the store, read beside each other, and the chain through all. */
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
  const events = inOrder(store, patienceMs);
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
    events.close();
  }
}

/** Product events in log order; undefined where the log ends, which a subscription itself never says. */
function inOrder(store: VerificationOptions['store'], patienceMs: number) {
  const reading = new AbortController();
  const events = store.subscribeToAll(null, reading.signal)[Symbol.asyncIterator]();
  /** Since when an event is waited for; rows that are slow to come are nobody's silence. */
  let waitingSince: number | undefined;
  let failure: unknown;
  const isSilent = () => waitingSince !== undefined && performance.now() - waitingSince >= patienceMs;
  // Silence is the end of the log, but only of a store that answers meanwhile: one that is away has not ended its log.
  const watch = setInterval(async () => {
    if (!isSilent()) return;
    try {
      await store.head();
    } catch (error) {
      failure = error;
    }
    if (isSilent()) reading.abort();
  }, patienceMs);
  return {
    async next(): Promise<LoggedEvent | undefined> {
      waitingSince = performance.now();
      const { done, value } = await events.next();
      waitingSince = undefined;
      if (failure !== undefined) throw failure;
      return done ? undefined : value;
    },
    close() {
      clearInterval(watch);
      reading.abort();
      void events.return?.();
    },
  };
}
