/** Listens for HTTP, and stops without aborting requests. */
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { HEADER_BYTES_MAX } from '@rdm/contracts';
import type { Express } from 'express';

export interface RunningServer {
  server: Server;
  port: number;
  /** Accepts no more requests, and waits for pending ones. */
  close(): Promise<void>;
}

/**
 * Express sets the prototype of each request and response to its own, which makes them slow. Objects of these classes have it
 * from the start, so that setting it changes nothing. A server that accepts requests for an app of the same process creates
 * them with the app's classes, too.
 */
export function requestClasses(): RequestClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
export type RequestClasses = {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
};

/** How long an idle connection is kept. */
export const KEPT_MS = 65_000;

/** The head of a request has to arrive within this time. */
const HEAD_MS = 60_000;

/** Listens; resolves when the port is open. */
export async function listen(
  app: Express,
  port: number,
  host: string,
  classes: RequestClasses = requestClasses(),
): Promise<RunningServer> {
  app.request = Object.setPrototypeOf(classes.IncomingMessage.prototype, app.request);
  app.response = Object.setPrototypeOf(classes.ServerResponse.prototype, app.response);
  // An upload takes as long as it takes: the front door ends bodies that are silent.
  const limits = { requestTimeout: 0, headersTimeout: HEAD_MS, maxHeaderSize: HEADER_BYTES_MAX };
  const server = createServer({ ...limits, ...classes }, app);
  server.keepAliveTimeout = KEPT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    server,
    port: typeof address === 'object' && address ? address.port : port,
    close: () => stopListening(server),
  };
}

/** How often idle connections are closed while stopping. */
const IDLE_EVERY_MS = 100;

/**
 * Accepts no more connections, and resolves when pending requests are answered. A client that keeps using its connection gets
 * one more answer with `Connection: close`: otherwise a busy client would never let a service stop.
 */
export function stopListening(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const looking = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS);
  return new Promise<void>((resolve, reject) => {
    server.close((error) => {
      clearInterval(looking);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}
