/** Listens for HTTP, and stops without dropping what is in flight. */
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { HEADER_BYTES_MAX } from '@rdm/contracts';
import type { Express } from 'express';

export interface RunningServer {
  server: Server;
  port: number;
  /** Stops taking requests, waits for those in flight. */
  close(): Promise<void>;
}

/**
 * Express sets the prototype of each request and answer to its own, and what had its prototype changed is slow from then on.
 * Those made here have Express' prototype from the beginning, so that setting it changes nothing.
 */
function madeFor(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Listens; resolves when the port is open. */
export async function listen(app: Express, port: number, host: string): Promise<RunningServer> {
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX, ...madeFor(app) }, app);
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    server,
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeIdleConnections();
      }),
  };
}
