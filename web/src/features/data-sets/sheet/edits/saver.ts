/** Sends waiting edits as they come: what is typed while a batch is on its way goes with the next. */
import type { InstanceOutcome } from '../../api/instances.ts';
import type { Batch, Edits, Seen } from './edits.ts';

/** Rows of one request. */
const BATCH_ROWS = 1_000;
/** How often a row is asked for again while the list of rows is not as far as the row. */
const READS_MAX = 40;
const READ_AGAIN_MS = 250;
/** What got no answer goes again by itself: soon, then ever more seldom. */
const SEND_AGAIN_MS = 5_000;
const SEND_AGAIN_MS_MAX = 30_000;

export interface SaverOptions {
  send: (batch: Batch) => Promise<readonly InstanceOutcome[]>;
  /** A row as it is stored now; undefined for one that is not there any more. */
  current: (id: number) => Promise<Seen | undefined>;
  /** Why something failed, for people. */
  reasonOf: (error: unknown) => string;
  onSaved: () => void;
  /** A call that got no answer, or a server's failure: the same may go well later. */
  mayRetry: (error: unknown) => boolean;
  /** Does something after so many milliseconds, if anybody is still there. */
  later: (ms: number, then: () => void) => void;
  pause?: (ms: number) => Promise<void>;
}

const pauseFor = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns what sends all that waits; calls while it is sending join it. */
export function saverOf(edits: Edits, options: SaverOptions): () => Promise<void> {
  const { send, current, reasonOf, onSaved, mayRetry, later, pause = pauseFor } = options;
  let running: Promise<void> | undefined;
  let unanswered = 0;
  /** Rows whose edits got no answer. */
  const lost = new Set<number>();

  /** The answer that the row has moved on may be ahead of what can be read. */
  async function readAt(id: number, revision: number): Promise<Seen | undefined> {
    for (let read = 0; read < READS_MAX; read++) {
      const row = await current(id);
      if (row === undefined || row.revision >= revision) return row;
      await pause(READ_AGAIN_MS);
    }
    throw new Error('This row is being changed by somebody else: try again');
  }

  function failed(batch: Batch, error: unknown): void {
    edits.failed(batch, reasonOf(error));
    if (!mayRetry(error)) return;
    for (const { id } of batch) lost.add(id);
    later(Math.min(SEND_AGAIN_MS * 2 ** unanswered, SEND_AGAIN_MS_MAX), sendLost);
    unanswered += 1;
  }

  function sendLost(): void {
    const ids = [...lost];
    lost.clear();
    if (ids.length > 0) edits.retry(ids);
  }

  async function sendAll(): Promise<void> {
    try {
      for (let batch = edits.take(BATCH_ROWS); batch.length > 0; batch = edits.take(BATCH_ROWS)) await sendOne(batch);
    } finally {
      // At once: what is typed from here on begins anew.
      running = undefined;
    }
  }

  async function sendOne(batch: Batch): Promise<void> {
    let results: readonly InstanceOutcome[];
    try {
      results = await send(batch);
    } catch (error) {
      failed(batch, error);
      return;
    }
    unanswered = 0;
    // The server is there: what it did not answer before need not wait for its time.
    sendLost();
    const revisions = new Map(results.map(({ id, revision }) => [id, revision ?? 0]));
    for (const id of edits.answered(batch, results)) {
      try {
        edits.met(id, await readAt(id, revisions.get(id) ?? 0));
      } catch (error) {
        failed([{ id, revision: 0, data: {} }], error);
      }
    }
    onSaved();
  }

  return () => {
    // Begun a moment later: taking a batch is a change of the edits, and whoever hears of it calls this again.
    running ??= Promise.resolve().then(sendAll);
    return running;
  };
}
