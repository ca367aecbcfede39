/** Where a backup reads the log: from segment files beside the running store, or from `$all` of another server. */
import type { LogRecord } from './format/entries.ts';

export interface LogSource {
  /** Commit position of the last event that the store has acknowledged; null for an empty log. */
  head(): Promise<bigint | null>;
  /** Bytes up to a position, for the progress; an estimate. */
  bytesUpTo(position: bigint): Promise<number>;
  /** The product's records up to a position, in log order. */
  records(upTo: bigint, signal: AbortSignal): AsyncIterable<LogRecord>;
  close(): Promise<void>;
}
