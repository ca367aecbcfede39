/** The dependencies that the routes of all modules share. */
import type { Access, EventStore, Log, Pool, Settings } from '@rdm/platform';
import type { ChangeStreams } from './change-feed/change-stream-server.ts';
import type { DownloadSlots } from './http/download-slots.ts';
import type { Freezable } from './list/freezable.ts';
import type { Matching } from './matching/matching.ts';
import type { ReadModels } from './read-models/read-models.ts';

export interface QueryContext {
  readModels: ReadModels;
  /** Finds candidates for mappings in a separate thread. */
  matching: Matching;
  /**
   * For tables that no projection owns, such as import drafts, telemetry and user profiles. Few routes write to these
   * tables.
   */
  pool: Pool;
  access: Access;
  store: EventStore;
  settings: Settings;
  log: Log;
  /** Lists whose matching rows can be frozen into selections, by kind. Each module adds its lists. */
  freezable: Map<string, Freezable>;
  /** Streams of the change feed. */
  streams: Pick<ChangeStreams, 'sendEvents' | 'closing'>;
  /** Returns the number of clients connected to the live channel. */
  connectedClients: () => number;
  downloadSlots: DownloadSlots;
}
