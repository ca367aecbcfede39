/** Writes the records of a backup to a new log, in order. Only the positions of the records change. */
import { randomUUID } from 'node:crypto';
import {
  currentVersion,
  type EventMetadata,
  type ProductEvent,
  type RecordedEvent,
  validateEvent,
} from '@rdm/contracts';
import { newSalt } from '@rdm/platform';
import { decodeRaw } from '@rdm/platform/event-store/event-codec';
import { CommitGroup } from '../../event-store/storage/commit-group.ts';
import { TOMBSTONE_TYPE } from '../../event-store/storage/index/segment-index.ts';
import { openStore } from '../../event-store/store.ts';
import { TOMBSTONE_REVISION } from '../../event-store/wire/recorded-event.ts';
import { MaintenanceError } from '../errors.ts';
import type { LogRecord } from '../format/entries.ts';
import { outOfSpace } from '../free-space.ts';
import { toRaw } from '../log-source.ts';

export interface NewLog {
  /** Writes records durably. Rejects with DISK_SPACE, or with RESTORE_NOT_HERE if events of a stream are missing. */
  write(records: readonly LogRecord[]): Promise<void>;
  /** Returns the events of a stream, oldest first. */
  events(stream: string): Promise<RecordedEvent[]>;
  close(): Promise<void>;
}

export const streamLacksEvent = (stream: string, revision: number): MaintenanceError =>
  new MaintenanceError(
    'RESTORE_NOT_HERE',
    `The stream ${stream} has no event ${revision}: its server had deleted it before the backup. Restore the files of that server instead (docs/operations.md).`,
  );

/** Appends events of the system to a stream; `cause` is their common correlation id. */
export async function appendAsSystem(
  log: NewLog,
  stream: string,
  added: readonly ProductEvent[],
  cause: string,
): Promise<void> {
  const existing = await log.events(stream);
  const now = new Date();
  const [occurredAt = ''] = [now.toISOString(), existing.at(-1)?.metadata.occurredAt ?? ''].sort().reverse();
  const records = added.map(({ type, data }, at): LogRecord => {
    validateEvent(type, data);
    const metadata: EventMetadata = {
      $correlationId: cause,
      $causationId: randomUUID(),
      actorId: null,
      requestId: cause,
      sourceType: 'SYSTEM',
      occurredAt,
      schemaVersion: currentVersion(type),
      dataSetIds: [],
      salt: newSalt(),
    };
    return {
      ...{ stream, revision: BigInt(existing.length + at), id: randomUUID(), type },
      ...{ created: now.getTime(), isJson: true },
      metadata: Buffer.from(JSON.stringify(metadata)),
      data: Buffer.from(JSON.stringify(data)),
    };
  });
  await log.write(records);
}

/** Opens a new log; `directory` must be empty or not exist. */
export async function openNewLog(directory: string): Promise<NewLog> {
  const store = await openStore({ directory, onFailure: () => {} });
  const { log, index, reader } = store;
  const group = new CommitGroup(index);

  async function commit(): Promise<void> {
    if (group.bytes.length === 0) return;
    if (!(await log.append(group.bytes))) throw outOfSpace(directory, 'it is full');
    index.publish();
    if (!(await log.rollOver())) throw outOfSpace(directory, 'it is full');
    group.reset(log.tail);
  }

  function revisionOf({ stream, type, revision }: LogRecord): number {
    if (type === TOMBSTONE_TYPE) return TOMBSTONE_REVISION;
    const head = index.head(stream);
    // A stream may begin with a later revision, because a scavenge has removed its first events.
    const next = head < 0 ? Number(revision) : head + 1;
    if (revision === BigInt(next)) return next;
    throw streamLacksEvent(stream, next);
  }

  async function write(records: readonly LogRecord[]): Promise<void> {
    group.reset(log.tail);
    for (const record of records) {
      const { stream, created, ...event } = record;
      if (!group.fits(stream, [event])) await commit();
      group.add([{ stream, revision: revisionOf(record), event }], created);
    }
    await commit();
  }

  return {
    write,
    events: async (stream) => {
      const first = index.first(stream);
      const ordinals = Array.from({ length: index.head(stream) + 1 - first }, (_, at) =>
        index.ordinalOf(stream, first + at),
      );
      return ordinals.flatMap((ordinal) => (ordinal === undefined ? [] : decodeRaw(toRaw(reader.read(ordinal)))));
    },
    close: () => store.close(),
  };
}
