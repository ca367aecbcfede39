/** Streams of the change feed, as routes and the HTTP server use them. */
import type { Server } from 'node:http';
import type { ChangesQuery } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';

export interface ChangeStreams {
  /** Sends server-sent events until either side closes. */
  sendEvents(request: ApiRequest<unknown, ChangesQuery>): Promise<void>;
  /** Handles WebSockets at /api/changes/ws; rejects others except those of the live channel. */
  attach(server: Server): void;
  /** Grants changed: disconnects readers that lost one. */
  accessChanged(): void;
  close(): void;
  /** Aborted once the service stops. */
  closing: AbortSignal;
}
