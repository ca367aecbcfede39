/** The interface of the change feed's streams for routes and the HTTP server. */
import type { Server } from 'node:http';
import type { ChangesQuery } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';

export interface ChangeStreams {
  /** Sends server-sent events until either side closes. */
  sendEvents(request: ApiRequest<unknown, ChangesQuery>): Promise<void>;
  /** Handles WebSockets at /api/changes/ws; rejects WebSockets at other paths, except for the live channel. */
  attach(server: Server): void;
  /** Disconnects readers that may read less than before. Call this method after changes of grants or roles. */
  accessChanged(): void;
  close(): void;
  /** Aborted when the service stops. */
  closing: AbortSignal;
}
