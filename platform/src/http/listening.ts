/** Starts an HTTP server, and stops it without aborting requests. */
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { HEADER_BYTES_MAX } from '@rdm/contracts';
import type { Express } from 'express';

export interface RunningServer {
  server: Server;
  port: number;
  /** See `stopListening`. */
  close(): Promise<void>;
}

/**
 * Creates the request and response classes of an Express app. Express replaces the prototype of each request and
 * response, which makes the objects slow. Objects of these classes have this prototype from the start. Every server of
 * the app must use the classes of the app.
 */
export function createMessageClasses(): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
export type MessageClasses = {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
};

/** How long an idle connection is kept. */
export const KEPT_MS = 65_000;

/** The head of a request must arrive within this time. */
const HEAD_MS = 60_000;

/** Listens; resolves when the port is open. */
export async function listen(
  app: Express,
  port: number,
  host: string,
  classes: MessageClasses = createMessageClasses(),
): Promise<RunningServer> {
  app.request = Object.setPrototypeOf(classes.IncomingMessage.prototype, app.request);
  app.response = Object.setPrototypeOf(classes.ServerResponse.prototype, app.response);
  // The duration of an upload is not limited here. The front door ends requests whose body does not arrive.
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

/** The interval at which idle connections are closed while the server stops. */
const IDLE_EVERY_MS = 100;

/**
 * Accepts no more connections, and resolves when pending requests are answered. The response to the next request on a
 * connection closes the connection. Otherwise a busy client would prevent the service from stopping.
 */
export function stopListening(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const closingIdle = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS);
  return new Promise<void>((resolve, reject) => {
    server.close((error) => {
      clearInterval(closingIdle);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}
