/** What every room of this floor works with. */
import type { Access, EventStore, Log, Pool, Settings } from '@rdm/platform';
import type { ChangeStreams } from './change-feed/change-streams.ts';
import type { DownloadPlaces } from './http/download-slots.ts';
import type { Freezable } from './list/selections.ts';
import type { Matching } from './matching/matching.ts';
import type { ReadModels } from './read-models/read-models.ts';

export interface Floor {
  readModels: ReadModels;
  /** Finds candidates for mappings, beside everything else. */
  matching: Matching;
  /** For tables that no projection owns (jobs, telemetry, the vault's profiles); reads only, bar the declared exceptions. */
  pool: Pool;
  access: Access;
  store: EventStore;
  settings: Settings;
  log: Log;
  /** Lists whose finds can be frozen into selections, by kind; rooms add theirs. */
  freezable: Map<string, Freezable>;
  /** Streams of the change feed. */
  streams: Pick<ChangeStreams, 'sendEvents'>;
  /** Clients connected to the live channel. */
  connectedClients: () => number;
  downloadPlaces: DownloadPlaces;
}
