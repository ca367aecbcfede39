/** Writes the log of a backup into an empty event store that the operator runs. */
import { type EventData, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { RecordedEvent } from '@rdm/contracts';
import { connectEventStore } from '@rdm/platform';
import { TOMBSTONE_TYPE } from '../../event-store/storage/index/segment-index.ts';
import { Chain } from '../chain.ts';
import { damaged, MaintenanceError } from '../errors.ts';
import { type LogRecord, TRAILER } from '../format/entries.ts';
import { remoteLog } from '../log-source.ts';
import { withoutPurged } from '../purged-records.ts';
import { type NewLog, streamLacksEvent } from './new-log.ts';

/** Maximum bytes of an append of several events, well below the 1 MiB that the server accepts. */
const APPEND_BYTES = 512 * 1024;
const APPEND_EVENTS = 200;

export async function openServerLog(url: string): Promise<NewLog> {
  await requireNoHistory(url);
  const client = EventStoreDBClient.connectionString(url);
  const revisions = new Map<string, number>();

  async function append(stream: string, records: readonly LogRecord[]): Promise<void> {
    const [first] = records as [LogRecord];
    const next = revisions.get(stream) ?? 0;
    if (first.type === TOMBSTONE_TYPE) {
      await client.tombstoneStream(stream);
      return;
    }
    if (first.revision !== BigInt(next)) throw streamLacksEvent(stream, next);
    const expectedRevision = next === 0 ? NO_STREAM : BigInt(next - 1);
    await client.appendToStream(stream, records.map(toProposed), { expectedRevision });
    revisions.set(stream, next + records.length);
  }

  return {
    async write(records) {
      for (const group of appends(records)) await append(group[0]?.stream ?? '', group);
    },
    async events(stream) {
      const store = connectEventStore(url);
      const events: RecordedEvent[] = [];
      for await (const event of store.read(stream)) events.push(event);
      await store.close();
      return events;
    },
    close: () => client.dispose(),
  };
}

/** Yields groups of adjacent records of one stream, in the order of the log. Each group becomes one append. */
function* appends(records: readonly LogRecord[]): Generator<LogRecord[]> {
  let group: LogRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = record.data.length + record.metadata.length;
    const isSeparate = record.type === TOMBSTONE_TYPE || group[0]?.type === TOMBSTONE_TYPE;
    const isOtherStream = group.length > 0 && record.stream !== group[0]?.stream;
    const isFull = group.length === APPEND_EVENTS || bytes + size > APPEND_BYTES;
    if (group.length > 0 && (isOtherStream || isSeparate || isFull)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(record);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

function toProposed({ id, type, isJson, metadata, data }: LogRecord): EventData {
  const parsed = metadata.length === 0 ? undefined : JSON.parse(metadata.toString());
  return isJson
    ? jsonEvent({ id, type, data: JSON.parse(data.toString()), metadata: parsed })
    : { id, type, contentType: 'application/octet-stream', data, metadata: parsed };
}

async function requireNoHistory(url: string): Promise<void> {
  const store = connectEventStore(url);
  try {
    for await (const { stream } of store.readAll(null)) {
      const message = `The event store holds events of the product already, such as those of ${stream}. Set EVENTSTORE_URL to an empty event store: a restore replaces no data on your own servers.`;
      throw new MaintenanceError('DATA_EXIST', message);
    }
  } finally {
    await store.close();
  }
}

/** Throws if the hash chain of the written log, up to the cut of the backup, differs from the chain of the backup. */
export async function requireSameChain(
  url: string,
  { seq, chainHash }: { seq: number; chainHash: string },
  signal: AbortSignal,
): Promise<void> {
  const store = connectEventStore(url);
  try {
    const log = remoteLog(store, url);
    const head = await log.head();
    const chain = new Chain();
    if (head !== null) {
      for await (const records of withoutPurged(log.events(head, signal), await log.purged())) {
        for (const record of records) if (chain.seq < seq) chain.add(record);
      }
    }
    if (chain.seq === seq && chain.hash === chainHash) return;
    throw damaged(TRAILER, 'the event store returns other events than those that were written');
  } finally {
    await store.close();
  }
}
