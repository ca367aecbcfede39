/** Many rows over many buckets: split by stream, decided per stream in bounded chunks, answered in the order asked. */
import { BUCKETS, EVENT_BYTES_MAX, EVENT_ROWS_MAX, type RowOutcome } from '@rdm/contracts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Execution } from '../runtime/execution.ts';

/** Streams worked on at once: enough to keep the store's commit groups full. */
export const STREAMS_AT_ONCE = 16;

/** Bytes that a value takes in an event. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Groups rows by bucket, in chunks that fit one event. `bytes` is the size of a row's data in it. */
export function toChunks<Row>(
  rows: readonly Row[],
  bucketOf: (row: Row) => number,
  bytes: (row: Row) => number = () => 16,
): Map<number, Row[][]> {
  const chunks = new Map<number, Row[][]>();
  const sizes = new Map<number, number>();
  for (const row of rows) {
    const bucket = bucketOf(row);
    if (bucket < 0 || bucket >= BUCKETS) throw new RangeError(`There is no bucket ${bucket}`);
    let bucketChunks = chunks.get(bucket);
    if (!bucketChunks) {
      bucketChunks = [];
      chunks.set(bucket, bucketChunks);
    }
    const size = bytes(row);
    const last = bucketChunks.at(-1);
    const filled = sizes.get(bucket) ?? 0;
    if (!last || last.length >= EVENT_ROWS_MAX || filled + size > EVENT_BYTES_MAX) {
      bucketChunks.push([row]);
      sizes.set(bucket, size);
    } else {
      last.push(row);
      sizes.set(bucket, filled + size);
    }
  }
  return chunks;
}

/**
 * Decides chunk by chunk, a bucket's chunks in order, several buckets at once. A failure is thrown once nothing of this run
 * is under way any more: its repetition would take what came late for the work of others.
 */
export async function decideChunks<Row>(
  x: Pick<Execution, 'withPace'>,
  chunks: Map<number, Row[][]>,
  decide: (bucket: number, rows: Row[]) => Promise<RowOutcome[]>,
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  await forEachConcurrently(chunks, STREAMS_AT_ONCE, async ([bucket, bucketChunks]) => {
    for (const rows of bucketChunks) outcomes.push(...(await x.withPace(rows.length, () => decide(bucket, rows))));
  });
  return outcomes;
}

/** The answer to a command over many rows; by its `commandId` the batch is looked at, and undone. */
export function bulkAnswer<Result extends RowOutcome>(x: Execution, results: Result[], status = 200) {
  const done = results.filter((row) => row.outcome === 'done').length;
  return { status, body: { commandId: x.meta.commandId, results, done, refused: results.length - done } };
}
