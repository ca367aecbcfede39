/** Splits rows by bucket into chunks that fit one event, and decides the buckets concurrently. */
import { BUCKETS, EVENT_BYTES_MAX, EVENT_ROWS_MAX, type RowOutcome } from '@rdm/contracts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Execution } from '../runtime/execution.ts';

/** The number of streams that are processed concurrently: enough to fill the event store's commit groups. */
export const STREAMS_AT_ONCE = 16;

/** The estimated bytes of a row's id and property names in an event. The values of the row are not included. */
export const ROW_OVERHEAD_BYTES = 32;

/** The size of a value in an event, in bytes. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Groups rows by bucket, in chunks that fit one event. `bytes` returns the size of a row's data in the event. */
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
 * Decides buckets concurrently, and the chunks of a bucket in order. Throws a failure only after all running work has
 * ended. Otherwise the next run of the command would mistake a late append for the change of another user.
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

/** The answer to a command over many rows; `commandId` identifies the batch for display and undo. */
export function bulkAnswer<Result extends RowOutcome>(x: Execution, results: Result[], status = 200) {
  const done = results.filter((row) => row.outcome === 'done').length;
  return { status, body: { commandId: x.meta.commandId, results, done, refused: results.length - done } };
}
