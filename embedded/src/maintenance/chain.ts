/** Numbers the events of a backup and links their digests as the audit log does. */

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

  add(record: LogRecord): void {
    if (!isNumbered(record)) return;
    this.seq += 1;
    this.hash = linkTo(this.hash, digestOf({ ...decodeRaw(record), seq: this.seq }));
  }
}
