/** The leader's reader: reads the log once, numbers its events and projects each batch in one transaction. */
import {
  type Client,
  errorCode,
  InvalidManifest,
  keepSubscribed,
  type LogPosition,
  type Pool,
  transaction,
} from '@rdm/platform';
import { digestAhead } from '@rdm/platform/event-store/audit-chain';
import { liveColumns, liveRows } from '../read-models/live-changes.ts';
import { cleanJson } from '../tables/rows.ts';
import { applyBatch } from './apply-batch.ts';
import { Batch } from './batch.ts';
import { countRows, inBatches } from './batches.ts';
import {
  type Build,
  type Checkpoint,
  checkpointOf,
  detachBuild,
  type LastEvent,
  LeadershipLost,
  lockReader,
  moveReaderPosition,
  recordComplete,
} from './checkpoint.ts';
import { LogMismatch, requireSameLog } from './log-match.ts';
import type { NumberedEvent } from './numbered-event.ts';
import { subscribeNumbered } from './numbered-log.ts';
import type { Revisions } from './projection.ts';
import { BEGIN, retryUntilSuccess, type Term } from './term.ts';

/** Live messages are stored for this time. An older event gets no live message. */
export const LIVE_HOURS = 24;

/** A batch with more imported rows is written at low priority. */
const LARGE_IMPORT_ROWS = 2_000;

const countImportedRows = (events: readonly NumberedEvent[]): number =>
  events.reduce((sum, { type, data }) => (type === 'InstancesImported' ? sum + countRows(data) : sum), 0);

export interface Progress {
  /** Called after a batch is committed, with the builds that the batch detached. */
  onBatch(events: readonly NumberedEvent[], detached: readonly Build[]): void;
  /** Called when the reader has projected the log up to its end. */
  onCaughtUp(): void;
}

export interface Reader {
  readonly checkpoint: Checkpoint;
  /** Builds that every batch is applied to, all at the reader's checkpoint. */
  readonly attached: readonly Build[];
  /** Reads until the term ends; throws LeadershipLost, LogMismatch or InvalidManifest. */
  run(): Promise<void>;
  /** Attaches the builds that `catchUp` brings to the reader's checkpoint. `catchUp` runs between two batches. */
  attachBuilds(catchUp: (reader: Checkpoint) => Promise<Build[]>): Promise<void>;
  /** Runs `work` between two batches. */
  runBetweenBatches<T>(work: () => Promise<T>): Promise<T>;
}

export function openReader(
  term: Term,
  start: Checkpoint & { at: string },
  serving: readonly Build[],
  progress: Progress,
): Reader {
  let checkpoint: Checkpoint & { at: string } = start;
  let attached = [...serving];
  let queue: Promise<unknown> = Promise.resolve();
  let isComplete = false;

  function runBetweenBatches<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  }

  async function project(events: readonly NumberedEvent[]): Promise<void> {
    const batch = new Batch(events);
    // Ignore errors here: the audit log computes the same digests, and reports the errors.
    digestAhead(batch.stored).catch(() => undefined);
    const pool = countImportedRows(events) > LARGE_IMPORT_ROWS ? term.bulkWriter : term.writer;
    const outcome = await retryUntilSuccess(term, () => commit(pool, term.token, checkpoint, attached, batch));
    const detached = attached.filter((build) => outcome.detached.has(build));
    for (const [build, failure] of outcome.detached) reportDetached(term, build, failure);
    attached = attached.filter((build) => !outcome.detached.has(build));
    checkpoint = outcome.checkpoint;
    for (const build of attached) Object.assign(build, { seq: checkpoint.seq, position: checkpoint.position });
    progress.onBatch(batch.events, detached);
  }

  async function movePosition(position: LogPosition): Promise<void> {
    await retryUntilSuccess(term, () => moveReaderPosition(term.writer, term.token, checkpoint.seq, position));
    checkpoint = { ...checkpoint, position };
  }

  return {
    get checkpoint() {
      return checkpoint;
    },
    get attached() {
      return attached;
    },
    runBetweenBatches,
    attachBuilds: (catchUp) =>
      runBetweenBatches(async () => {
        const newBuilds = await catchUp(checkpoint);
        // Queries now read the new builds: do not write to the replaced builds, which will be dropped.
        const replaced = new Set(newBuilds.map(({ projection }) => projection.name));
        attached = [...attached.filter(({ projection }) => !replaced.has(projection.name)), ...newBuilds];
      }),
    async run() {
      const subscribe = async (progressed: () => void) => {
        await requireSameLog(term, checkpoint);
        const subscribeFromCheckpoint = (signal: AbortSignal) => subscribeNumbered(term, checkpoint, signal);
        for await (const { events, deliveredUpTo, isCaughtUp } of inBatches(subscribeFromCheckpoint, term.signal, {
          limits: term.limits,
        })) {
          if (events.length > 0) {
            await runBetweenBatches(() => project(events));
            progressed();
          }
          if (deliveredUpTo) await runBetweenBatches(() => movePosition(deliveredUpTo));
          if (!isCaughtUp) continue;
          if (!isComplete) await retryUntilSuccess(term, () => recordComplete(term.writer, term.token));
          isComplete = true;
          progress.onCaughtUp();
        }
        return undefined;
      };
      const isFinal = (error: unknown) =>
        error instanceof LeadershipLost || error instanceof LogMismatch || error instanceof InvalidManifest;
      await keepSubscribed(subscribe, { signal: term.signal, log: term.log, to: 'the log', isFinal });
    },
  };
}

interface BuildFailure {
  event: NumberedEvent;
  reason: unknown;
}
type FailuresByBuild = Map<Build, BuildFailure>;

/** Marks a build as detached, and reports it in the log of the service and on the diagnostics page. */
export function reportDetached({ log, errors }: Term, build: Build, { event, reason }: BuildFailure): void {
  build.state = 'DETACHED';
  const { name } = build.projection;
  log.error(
    { projection: name, err: reason, event: event.id },
    'A projection could not apply an event and was detached',
  );
  errors?.record({
    kind: 'PROJECTION',
    code: errorCode(reason),
    message: `The projection ${name} stopped before an event that it cannot apply: the monitor has the reason`,
    correlationId: event.metadata.$correlationId,
  });
}

/** Commits one batch in one transaction: rows, checkpoints, instants, live messages. */
async function commit(
  pool: Pool,
  token: number,
  from: Checkpoint & { at: string },
  builds: readonly Build[],
  batch: Batch,
): Promise<{ checkpoint: Checkpoint & { at: string }; detached: FailuresByBuild }> {
  const { events } = batch;
  const last = batch.last as NumberedEvent;
  const instants = instantsOf(from.at, events);
  const checkpoint = { ...checkpointOf(last), at: instants.at(-1)?.at ?? from.at };
  const detached: FailuresByBuild = new Map();
  await transaction(
    pool,
    async (client) => {
      const seq = await lockReader(client, token);
      // An earlier attempt committed this batch, but the answer was lost: do not apply the batch again.
      if (seq === checkpoint.seq) return findDetached(client, builds, detached, events);
      if (seq !== from.seq) throw new LeadershipLost(`it is at ${from.seq}, the reader at ${seq}`);
      const revisions: Revisions = new Map();
      for (const build of builds) {
        const { revisions: rowRevisions, failure } = await applyBatch(client, build, batch);
        for (const [eventSeq, rows] of rowRevisions) revisions.set(eventSeq, rows);
        if (!failure) continue;
        detached.set(build, failure);
        await detachBuild(client, build.schema, failure.upTo, failure.event, failure.reason);
      }
      const attached = builds.filter((build) => !detached.has(build));
      await recordBatch(client, attached, checkpoint, instants, batch, revisions);
    },
    BEGIN,
  );
  return { checkpoint, detached };
}

/** Adds to `detached` the builds that an earlier attempt to commit this batch has detached. */
async function findDetached(
  client: Client,
  builds: readonly Build[],
  detached: FailuresByBuild,
  events: readonly NumberedEvent[],
): Promise<void> {
  const { rows } = await client.query<{ schema_name: string; failure: string; failed_event: { seq: number } }>(
    `SELECT schema_name, failure, failed_event FROM platform.builds
      WHERE state = 'DETACHED' AND failed_event IS NOT NULL`,
  );
  for (const row of rows) {
    const build = builds.find(({ schema }) => schema === row.schema_name);
    const event = events.find(({ seq }) => seq === row.failed_event.seq);
    if (build && event) detached.set(build, { event, reason: new Error(row.failure) });
  }
}

interface Instant {
  seq: number;
  at: string;
}

/**
 * Returns the instants of a batch, each with its last seq. Instants never decrease: an event with an invalid or earlier
 * time gets the previous instant.
 */
export function instantsOf(previous: string, events: readonly NumberedEvent[]): Instant[] {
  const instants: Instant[] = [];
  let at = previous;
  for (const event of events) {
    const occurred = new Date(event.metadata.occurredAt);
    if (!Number.isNaN(occurred.getTime()) && occurred.toISOString() > at) at = occurred.toISOString();
    const last = instants.at(-1);
    if (last?.at === at) last.seq = event.seq;
    else instants.push({ seq: event.seq, at });
  }
  return instants;
}

/** Returns undefined if all events of the batch are purged. */
function lastEventOf({ stored }: Batch): LastEvent | undefined {
  const last = stored.at(-1);
  return last && { id: last.id, stream: last.stream, revision: last.revision };
}

const LIVE = Object.keys(liveColumns).join(', ');

/** Writes checkpoints, instants and live messages of a batch in one statement, and notifies the other services. */
async function recordBatch(
  client: Client,
  builds: readonly Build[],
  { seq, position, at }: Checkpoint & { at: string },
  instants: readonly Instant[],
  batch: Batch,
  revisions: Revisions,
): Promise<void> {
  const lastEvent = lastEventOf(batch);
  const sentSince = new Date(Date.now() - LIVE_HOURS * 3_600_000).toISOString();
  const live = liveRows(
    batch.stored.filter((event) => event.metadata.occurredAt > sentSince),
    revisions,
  );
  await client.query({
    name: 'record batch',
    text: `WITH live AS (
             INSERT INTO platform.live_changes (${LIVE})
             SELECT ${LIVE} FROM jsonb_populate_recordset(NULL::platform.live_changes, $1::jsonb)),
           instants AS (
             INSERT INTO platform.instants (seq, at)
             SELECT seq, at FROM jsonb_to_recordset($2::jsonb) AS i(seq bigint, at timestamptz)),
           builds AS (
             UPDATE platform.builds SET seq = $3, commit_position = $4, prepare_position = $5
              WHERE schema_name = ANY($6)),
           reader AS (
             UPDATE platform.reader SET seq = $3, commit_position = $4, prepare_position = $5,
                    at = coalesce($7, at), last_event = coalesce($9, last_event))
           SELECT pg_notify('projected', $8)`,
    values: [
      cleanJson(live),
      JSON.stringify(instants),
      seq,
      String(position?.commit ?? 0),
      String(position?.prepare ?? 0),
      builds.map(({ schema }) => schema),
      at || null,
      JSON.stringify({ from: batch.events[0]?.seq, to: seq }),
      lastEvent ? JSON.stringify(lastEvent) : null,
    ],
  });
}
