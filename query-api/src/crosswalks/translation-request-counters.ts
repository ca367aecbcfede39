/** Counts translation requests for mapped values: collects counts for at least a second, then adds them to a table. */
import type { Log, Queryable } from '@rdm/platform';

/** Requests for one source value of a crosswalk since the last write. */
interface RequestCount {
  crosswalkId: number;
  sourceValue: string;
  requests: number;
  first: number;
  last: number;
}

export interface TranslationRequestCounters {
  /** Counts a request for each of these values; repeated values count each time. */
  count(crosswalkId: number, values: readonly string[]): void;
  /** Writes the counts. Counts whose write fails are kept for a retry. */
  flush(): Promise<void>;
}

export interface TranslationRequestCounterOptions {
  db: Queryable;
  log: Log;
  everyMs?: number;
  now?: () => number;
}

/** Minimum interval between writes. A crash loses the counts since the last write; that is acceptable for telemetry. */
const EVERY_MS = 1_000;
/** Maximum number of values of all crosswalks between two writes; requests for further values are not counted. */
const PENDING_MAX = 200_000;
/** Maximum number of values in one statement. */
const BATCH_SIZE = 5_000;

export function openTranslationRequestCounters(options: TranslationRequestCounterOptions): TranslationRequestCounters {
  const { db, log, everyMs = EVERY_MS, now = Date.now } = options;
  let pending = new Map<number, Map<string, RequestCount>>();
  let size = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isWriting = false;

  const addCount = (crosswalkId: number, sourceValue: string, requests: number, first: number, last: number) => {
    let values = pending.get(crosswalkId);
    if (!values) {
      values = new Map();
      pending.set(crosswalkId, values);
    }
    const existing = values.get(sourceValue);
    if (existing) {
      existing.requests += requests;
      existing.first = Math.min(existing.first, first);
      existing.last = Math.max(existing.last, last);
    } else if (size >= PENDING_MAX) dropped += requests;
    else {
      values.set(sourceValue, { crosswalkId, sourceValue, requests, first, last });
      size += 1;
    }
  };

  const write = async () => {
    const counts = [...pending.values()].flatMap((values) => [...values.values()]);
    pending = new Map();
    size = 0;
    if (dropped > 0)
      log.warn({ dropped }, 'More values were requested than can be counted: some requests were not counted');
    dropped = 0;
    // All instances write in the same order, so that their statements never deadlock.
    counts.sort((a, b) => a.crosswalkId - b.crosswalkId || (a.sourceValue < b.sourceValue ? -1 : 1));
    for (let start = 0; start < counts.length; start += BATCH_SIZE) {
      try {
        await insertCounts(db, counts.slice(start, start + BATCH_SIZE));
      } catch (error) {
        log.warn({ err: error }, 'Could not store the counts of translation requests; trying again');
        for (const count of counts.slice(start)) {
          addCount(count.crosswalkId, count.sourceValue, count.requests, count.first, count.last);
        }
        return;
      }
    }
  };

  /**
   * Schedules a write. If counts are left after a write, the pause is at least three times as long as the write took,
   * so that writes under load take at most a quarter of the time.
   */
  const schedule = (workedMs = 0) => {
    // The end of the current write schedules the next write if counts are left.
    if (isWriting) return;
    timer ??= setTimeout(() => void flush(), Math.max(everyMs, 3 * workedMs)).unref();
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running = running.then(async () => {
      const began = performance.now();
      isWriting = true;
      try {
        if (size > 0) await write();
      } finally {
        isWriting = false;
      }
      if (size > 0) schedule(performance.now() - began);
    });
    return running;
  };

  return {
    count(crosswalkId, values) {
      if (values.length === 0) return;
      const at = now();
      for (const value of values) addCount(crosswalkId, value, 1, at, at);
      schedule();
    },
    flush,
  };
}

async function insertCounts(db: Queryable, counts: readonly RequestCount[]): Promise<void> {
  await db.query({
    name: 'add-translation-requests',
    text: `INSERT INTO telemetry.translation_requests AS kept
        (crosswalk_id, source_value, requests, first_requested_at, last_requested_at)
      SELECT crosswalk_id, source_value, requests, to_timestamp(first / 1000.0), to_timestamp(last / 1000.0)
        FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
          AS counts (crosswalk_id, source_value, requests, first, last)
      ON CONFLICT (crosswalk_id, source_hash) DO UPDATE SET requests = kept.requests + excluded.requests,
        first_requested_at = least(kept.first_requested_at, excluded.first_requested_at),
        last_requested_at = greatest(kept.last_requested_at, excluded.last_requested_at)`,
    values: [
      counts.map(({ crosswalkId }) => crosswalkId),
      counts.map(({ sourceValue }) => sourceValue),
      counts.map(({ requests }) => requests),
      counts.map(({ first }) => first),
      counts.map(({ last }) => last),
    ],
  });
}
