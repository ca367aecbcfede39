/** Numbers the events of a backup and links their digests as the audit log does. */
import type { RecordedEvent } from '@rdm/contracts';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import { decodeRaw } from '@rdm/platform/event-store/event-codec';
import { describedStream } from '@rdm/platform/event-store/raw-log';
import type { LogRecord } from './format/entries.ts';

/** Tombstones and stream metadata have no number. */
const isNumbered = ({ stream, type }: LogRecord): boolean =>
  !type.startsWith('$') && describedStream(stream) === stream;

export class Chain {
  seq = 0;
  hash = GENESIS;

  /** Returns the decoded event; undefined for a record without a number. */
  add(record: LogRecord): RecordedEvent | undefined {
    if (!isNumbered(record)) return undefined;
    this.seq += 1;
    const event = decodeRaw(record);
    this.hash = linkTo(this.hash, digestOf({ ...event, seq: this.seq }));
    return event;
  }
}
