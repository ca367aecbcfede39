/** Sends pending edits continuously; edits made during a request are sent with the next one. */
import type { InstanceOutcome } from '../../api/instances.ts';
import type { Batch, Edits, ReadRow } from './edits.ts';

/** The number of rows in a request. */
const BATCH_ROWS = 1_000;
/** The number of times that a row is read while the read model does not contain its new revision. */
const READS_MAX = 40;
const READ_AGAIN_MS = 250;
/** Lost requests are retried automatically after this delay, which doubles each time up to the maximum. */
const SEND_AGAIN_MS = 5_000;
const SEND_AGAIN_MS_MAX = 30_000;

export interface SaverOptions {
  send: (batch: Batch) => Promise<readonly InstanceOutcome[]>;
  /** Reads the current row; undefined if it was deleted. */
  current: (id: number) => Promise<ReadRow | undefined>;
  /** Returns the message for an error. */
  reasonOf: (error: unknown) => string;
  onSaved: () => void;
  /** Whether the error is a lost request or a server error, which can be retried. */
  mayRetry: (error: unknown) => boolean;
  /** Calls a function after a delay, unless the page was left. */
  later: (ms: number, then: () => void) => void;
  pause?: (ms: number) => Promise<void>;
}

const pauseFor = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns `save()`: sends all pending edits; concurrent calls share one run. */
export function createSaver(edits: Edits, options: SaverOptions): () => Promise<void> {
  const { send, current, reasonOf, onSaved, mayRetry, later, pause = pauseFor } = options;
  let running: Promise<void> | undefined;
  /** The number of requests that were lost one after the other. */
  let consecutiveLosses = 0;
  /** The ids of rows whose requests were lost. */
  const lostRows = new Set<number>();

  /** Reads the row at a revision or a later one: a conflict may be reported before the read model contains the new version. */
  async function readAt(id: number, revision: number): Promise<ReadRow | undefined> {
    for (let read = 0; read < READS_MAX; read++) {
      const row = await current(id);
      if (row === undefined || row.revision >= revision) return row;
      await pause(READ_AGAIN_MS);
    }
    throw new Error('Another user is changing this row: try again');
  }

  function handleFailure(batch: Batch, error: unknown): void {
    edits.applyFailure(batch, reasonOf(error));
    if (!mayRetry(error)) return;
    for (const { id } of batch) lostRows.add(id);
    later(Math.min(SEND_AGAIN_MS * 2 ** consecutiveLosses, SEND_AGAIN_MS_MAX), sendLost);
    consecutiveLosses += 1;
  }

  function sendLost(): void {
    const ids = [...lostRows];
    lostRows.clear();
    if (ids.length > 0) edits.retry(ids);
  }

  async function sendAll(): Promise<void> {
    try {
      for (let batch = edits.startSending(BATCH_ROWS); batch.length > 0; batch = edits.startSending(BATCH_ROWS))
        await sendOne(batch);
    } finally {
      // From here on, new edits start a new run.
      running = undefined;
    }
  }

  async function sendOne(batch: Batch): Promise<void> {
    let results: readonly InstanceOutcome[];
    try {
      results = await send(batch);
    } catch (error) {
      handleFailure(batch, error);
      return;
    }
    consecutiveLosses = 0;
    // The server responds again, so lost requests need not wait for their delay.
    sendLost();
    const revisions = new Map(results.map(({ id, revision }) => [id, revision ?? 0]));
    for (const id of edits.applyResults(batch, results)) {
      try {
        edits.mergeTheirs(id, await readAt(id, revisions.get(id) ?? 0));
      } catch (error) {
        handleFailure([{ id, revision: 0, data: {} }], error);
      }
    }
    onSaved();
  }

  return () => {
    // Started asynchronously, because `startSending` notifies the listeners of the edits, which call this function again.
    running ??= Promise.resolve().then(sendAll);
    return running;
  };
}
