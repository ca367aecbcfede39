/** Numbers the events of a backup, and links their digests to the same hash chain as in the audit log. */
import type { RecordedEvent } from '@rdm/contracts';
import { ManifestCheck, type UnprovedPurge } from '@rdm/platform';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import { decodeRaw } from '@rdm/platform/event-store/event-codec';
import type { LogRecord } from './format/entries.ts';
import { entryOf, isNumbered } from './purged-records.ts';

export class Chain {
  seq = 0;
  hash = GENESIS;
  readonly #check = new ManifestCheck();

  /** Returns the decoded event; undefined if the record has no number or replaces a purged event. */
  add(record: LogRecord): RecordedEvent | undefined {
    const entry = entryOf(record);
    if (entry) {
      this.#check.addEntry(entry);
      // The place of an entry needs no check: its digest depends on the seq, so that a wrong place changes the hash.
      this.#link(entry.digest);
      return undefined;
    }
    if (!isNumbered(record)) return undefined;
    const event = decodeRaw(record);
    this.#link(digestOf({ ...event, seq: this.seq + 1 }));
    this.#check.addEvent(event, this.seq);
    return event;
  }

  /** The ids of the registered purges. */
  get purges(): string[] {
    return [...this.#check.registered.keys()].map(String);
  }

  /** Returns the purges whose entries no valid manifest proves. Call this once, after the last record. */
  unproved(): UnprovedPurge[] {
    return this.#check.unproved();
  }

  #link(digest: string): void {
    this.seq += 1;
    this.hash = linkTo(this.hash, digest);
  }
}
