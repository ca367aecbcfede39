/** Replaces purged events in a backup with their manifest entries, which lack the data of the events. */
import { DueEntries, type PurgedEntry, type PurgedEvents } from '@rdm/platform';
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { describedStream } from '@rdm/platform/event-store/raw-log';
import { TOMBSTONE_TYPE } from '../event-store/storage/index/segment-index.ts';
import type { LogRecord } from './format/entries.ts';

/**
 * The record of a manifest entry has the stream `$purged-<purge id>`, and the seq of the purged event as its revision.
 * A restore does not write these records.
 */
const PURGED = '$purged-';
const NO_ID = '00000000-0000-0000-0000-000000000000';

function toRecord({ purgeId, ...entry }: PurgedEntry): LogRecord {
  return {
    stream: `${PURGED}${purgeId}`,
    revision: BigInt(entry.seq),
    id: NO_ID,
    type: entry.type,
    created: 0,
    isJson: true,
    metadata: Buffer.alloc(0),
    data: Buffer.from(JSON.stringify(entry)),
  };
}

/** Returns the manifest entry in a record; undefined if the record is an event. */
export function entryOf({ stream, data }: LogRecord): PurgedEntry | undefined {
  if (!stream.startsWith(PURGED)) return undefined;
  return { ...JSON.parse(data.toString()), purgeId: Number(stream.slice(PURGED.length)) };
}

/** Yields the events of a log, with the records of manifest entries at the seqs of the purged events. */
export async function* withoutPurged(
  batches: AsyncIterable<RawEvent[]> | Iterable<RawEvent[]>,
  purged: PurgedEvents,
): AsyncGenerator<LogRecord[]> {
  let seq = 0;
  const due = await DueEntries.after(purged, 0);
  const records: LogRecord[] = [];
  const addDue = async () => {
    while (due.isDue(seq + 1)) {
      records.push(toRecord(await due.take()));
      seq += 1;
    }
  };
  for await (const events of batches) {
    for (const event of events) {
      await addDue();
      if (isPurged(event, purged)) continue;
      records.push(event);
      if (isNumbered(event)) seq += 1;
      if (records.length >= RECORDS_AT_ONCE) yield records.splice(0);
    }
    yield records.splice(0);
  }
  await addDue();
  yield records;
}

const RECORDS_AT_ONCE = 10_000;

/** Whether a record has a seq: tombstones and stream metadata have none. */
export const isNumbered = ({ stream, type }: Pick<LogRecord, 'stream' | 'type'>): boolean =>
  !type.startsWith('$') && describedStream(stream) === stream;

/**
 * Whether a purge deleted the event. A tombstone counts as not purged: a backup contains it, so that a restored log
 * refuses the stream too.
 */
function isPurged(event: RawEvent, purged: PurgedEvents): boolean {
  if (isNumbered(event)) return purged.purgeOf(event.stream, event.revision) !== undefined;
  return event.type !== TOMBSTONE_TYPE && purged.manifestOf(describedStream(event.stream)) !== undefined;
}
