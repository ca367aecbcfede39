/** Opens the event store of a directory: log, index, readers and writer. */
import { mkdirSync } from 'node:fs';
import { type Disk, realDisk } from './storage/disk.ts';
import { EventReader } from './storage/event-reader.ts';
import { EventIndex } from './storage/index/event-index.ts';
import { DirectoryLock } from './storage/lock.ts';
import { EventLog } from './storage/log.ts';
import { MetadataCatalogue } from './storage/stream-metadata.ts';
import { StreamReader } from './storage/stream-reader.ts';
import { Writer } from './storage/writer.ts';

export interface StoreOptions {
  readonly directory: string;
  /** Size at which a segment file is sealed, in bytes. */
  readonly segmentSize?: number;
  readonly disk?: Disk;
  /** Receives warnings to operators about the files. */
  readonly warn?: (message: string) => void;
  /** Set if an operator accepts the loss of later events: the position of the last remaining event, or 0. */
  readonly acceptedEnd?: number | undefined;
  /** Maximum number of bytes of index files in memory. */
  readonly pageCache?: number;
  /** Called when the store can no longer write the log, or when a check finds damage in the active segment. */
  readonly onFailure: (error: Error) => void;
}

export interface Store {
  readonly log: EventLog;
  readonly index: EventIndex;
  readonly reader: EventReader;
  readonly streams: StreamReader;
  readonly writer: Writer;
  /** Finishes the queued requests and unlocks the directory. */
  close(): Promise<void>;
}

export const SEGMENT_SIZE = 64 * 1024 * 1024;
const PAGE_CACHE = 64 * 1024 * 1024;

/** Rejects with `StoreInUse`, `DamagedLog` or `ShortenedLog` if the directory cannot be served. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const {
    directory,
    segmentSize = SEGMENT_SIZE,
    disk = realDisk,
    warn = console.warn,
    acceptedEnd,
    pageCache = PAGE_CACHE,
    onFailure,
  } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = await DirectoryLock.acquire(directory);
  const index = new EventIndex();
  const logOptions = { directory, disk, segmentSize, warn, acceptedEnd, pageCache };
  const log = await EventLog.open(logOptions, index).catch(async (error) => {
    await lock.release();
    throw error;
  });
  log.checked.catch(onFailure);
  const reader = new EventReader(index);
  const metadata = new MetadataCatalogue(index, reader);
  const writer = new Writer(log, index, reader, metadata, onFailure);
  return {
    log,
    index,
    reader,
    streams: new StreamReader(index, reader, metadata),
    writer,
    async close() {
      await writer.close();
      await log.close();
      await lock.release();
    },
  };
}
