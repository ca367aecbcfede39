/** Sends pending edits continuously. Edits made during a request are sent with the next request. */
import type { InstanceOutcome } from '../../api/instances.ts';
import type { Edits, ReadRow, SentRows } from './edits.ts';

/** The maximum number of rows in a request. */
const REQUEST_ROWS = 1_000;
/** The maximum number of times that a row is read until the read model contains its new revision. */
const READS_MAX = 40;
const READ_AGAIN_MS = 250;
/** The delay before a failed request is retried. Each further failure doubles the delay, up to the maximum. */
const SEND_AGAIN_MS = 5_000;
const SEND_AGAIN_MS_MAX = 30_000;

export interface SaverOptions {
  send: (rows: SentRows) => Promise<readonly InstanceOutcome[]>;
  /** Reads the current row; undefined if it was deleted. */
  readCurrent: (id: number) => Promise<ReadRow | undefined>;
  /** Returns the message for an error. */
  reasonOf: (error: unknown) => string;
  onSaved: () => void;
  /** Whether the error is a lost request or a server error, which can be retried. */
  mayRetry: (error: unknown) => boolean;
  /** Calls a function after a delay, unless the user has left the page. */
  runLater: (ms: number, then: () => void) => void;
  pause?: (ms: number) => Promise<void>;
}

const pauseFor = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns `save()`, which sends all pending edits. Concurrent calls share one run. */
export function createSaver(edits: Edits, options: SaverOptions): () => Promise<void> {
  const { send, readCurrent, reasonOf, onSaved, mayRetry, runLater, pause = pauseFor } = options;
  let running: Promise<void> | undefined;
  /** The number of retryable failures since the last successful request. */
  let consecutiveFailures = 0;
  /** The ids of the rows whose sending or reading is to be retried. */
  const retryIds = new Set<number>();

  /** Reads the row until it has at least this revision: the read model may be behind the reported conflict. */
  async function readAt(id: number, revision: number): Promise<ReadRow | undefined> {
    for (let read = 0; read < READS_MAX; read++) {
      const row = await readCurrent(id);
      if (row === undefined || row.revision >= revision) return row;
      await pause(READ_AGAIN_MS);
    }
    throw new Error('Another user is changing this row: try again');
  }

  function handleFailure(rows: SentRows, error: unknown): void {
    edits.applyFailure(rows, reasonOf(error));
    if (!mayRetry(error)) return;
    for (const { id } of rows) retryIds.add(id);
    runLater(Math.min(SEND_AGAIN_MS * 2 ** consecutiveFailures, SEND_AGAIN_MS_MAX), retryFailed);
    consecutiveFailures += 1;
  }

  function retryFailed(): void {
    const ids = [...retryIds];
    retryIds.clear();
    if (ids.length > 0) edits.retry(ids);
  }

  async function sendAll(): Promise<void> {
    try {
      for (let rows = edits.startSending(REQUEST_ROWS); rows.length > 0; rows = edits.startSending(REQUEST_ROWS))
        await sendRequest(rows);
    } finally {
      // Later edits start a new run.
      running = undefined;
    }
  }

  async function sendRequest(rows: SentRows): Promise<void> {
    let results: readonly InstanceOutcome[];
    try {
      results = await send(rows);
    } catch (error) {
      handleFailure(rows, error);
      return;
    }
    consecutiveFailures = 0;
    // The server works again, so failed rows need not wait for their delay.
    retryFailed();
    const revisions = new Map(results.map(({ id, revision }) => [id, revision ?? 0]));
    for (const id of edits.applyResults(rows, results)) {
      try {
        edits.mergeTheirs(id, await readAt(id, revisions.get(id) ?? 0));
      } catch (error) {
        handleFailure([{ id, revision: 0, data: {} }], error);
      }
    }
    onSaved();
  }

  return () => {
    // Starts asynchronously, so that `running` is set before `startSending` notifies a listener that calls this
    // function.
    running ??= Promise.resolve().then(sendAll);
    return running;
  };
}
