/** Numbers the events of a backup and links their digests as the audit log does. */
import type { RecordedEvent } from '@rdm/contracts';
import { ManifestCheck, type UnprovedPurge } from '@rdm/platform';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import { decodeRaw } from '@rdm/platform/event-store/event-codec';
import type { LogRecord } from './format/entries.ts';
import { isNumbered, stubOf } from './purged-records.ts';

export class Chain {
  seq = 0;
  hash = GENESIS;
  readonly #check = new ManifestCheck();

  /** Returns the decoded event; undefined for a record without a number and for one that replaces a purged event. */
  add(record: LogRecord): RecordedEvent | undefined {
    const stub = stubOf(record);
    if (stub) {
      this.#check.addEntry(stub);
      // With another number than is due its digest does not fit either.
      this.#link(stub.digest);
      return undefined;
    }
    if (!isNumbered(record)) return undefined;
    const event = decodeRaw(record);
    this.#link(digestOf({ ...event, seq: this.seq + 1 }));
    this.#check.addEvent(event, this.seq);
    return event;
  }

  /** The registered purges, by id. */
  get purges(): string[] {
    return [...this.#check.registered.keys()].map(String);
  }

  /** Purges whose entries no manifest in the file proves. Call it once, after the last record. */
  unproved(): UnprovedPurge[] {
    return this.#check.unproved();
  }

  #link(digest: string): void {
    this.seq += 1;
    this.hash = linkTo(this.hash, digest);
  }
}
