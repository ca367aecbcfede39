/**
 * The front door, the reverse proxy of the product: forwards requests to the services, serves the web app, and shows a
 * starting page until the product is ready.
 */
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { HEADER_BYTES_MAX } from '@rdm/contracts/constants';
import { createMessageClasses, KEPT_MS, type MessageClasses, stopListening } from '@rdm/platform/http/listening';
import { type Instances, instancesOf, type ReportInstance } from './instances.ts';
import { createProxy, type ProxyOptions, refuseUpgrade } from './proxy.ts';
import { readinessOf, startingCheck } from './readiness.ts';
import { refuse, sendJson } from './responses.ts';
import { type Backend, destinationOf, pathOf, sessionIn, upgradeDestinationOf } from './routes.ts';
import { sendStartingPage } from './starting-page.ts';
import type { Target } from './target.ts';
import { limitUnfinished, UNFINISHED_LIMITS, type UnfinishedLimits } from './unfinished-requests.ts';
import { webApp } from './web-app.ts';

export type FrontDoorOptions = {
  /** The instances of each service. */
  backends: Record<Backend, readonly Target[]>;
  /** The instances of further services, which count for readiness but get no requests. */
  parts?: Record<string, readonly Target[]>;
  onInstance?: ReportInstance;
  /** The folder with the built web app. */
  webFolder: string;
  publicUrl: string;
  /** The origin of the sign-in provider, to which the pages send requests. */
  signInOrigin?: string | undefined;
  trustForwarded?: boolean;
  /** Whether the front door starts open. While it is closed, only the private port serves the product. */
  open: boolean;
  /** Whether an open front door shows the starting page until the read models have reached the end of the log. */
  waitsForReadModels?: boolean;
  /** A service that does not start to answer within this time counts as unavailable. */
  silenceMs?: number;
  /** Overrides of `UNFINISHED_LIMITS`, for tests. */
  limits?: Partial<UnfinishedLimits>;
};

export type FrontDoor = {
  /**
   * The classes of the request and response objects that this server creates. A service in this process needs them for
   * its Express app.
   */
  messageClasses: MessageClasses;
  /** Makes a server in this process handle all further requests to a backend. */
  hostInProcess(backend: Backend, service: Server): void;
  /** Starts to listen; resolves with the port. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Opens the private port on loopback, for use while the front door is closed. Its requests get the public origin.
   * Resolves with the port.
   */
  listenPrivately(port: number): Promise<number>;
  /** Opens the front door, and closes the private port. */
  open(): void;
  close(): Promise<void>;
};

export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { webFolder, publicUrl, trustForwarded = false, silenceMs } = options;
  const limits = { ...UNFINISHED_LIMITS, ...options.limits };
  const protocol = publicUrl.startsWith('https:') ? 'https' : 'http';
  const instances = (targets: readonly Target[]) => instancesOf(targets, options.onInstance);
  const backends: Record<Backend, Instances> = {
    'command-api': instances(options.backends['command-api']),
    'query-api': instances(options.backends['query-api']),
  };
  const otherParts = Object.entries(options.parts ?? {}).map(([name, targets]) => [name, instances(targets)] as const);
  const parts: Record<string, Instances> = { ...backends, ...Object.fromEntries(otherParts) };
  const proxyOptions: ProxyOptions = {
    protocol,
    trustForwarded,
    ...(silenceMs !== undefined && { silenceMs }),
    onUnreachable: (target) => {
      for (const backend of Object.values(backends)) backend.markUnreachable(target);
    },
  };
  const readiness = readinessOf(parts);
  const isStarting = options.waitsForReadModels ? startingCheck(readiness) : async () => false;
  const serveWebApp = existsSync(join(webFolder, 'index.html'))
    ? webApp(webFolder, publicUrl, options.signInOrigin)
    : undefined;
  /** Returns the instances to try: for a request of a socket.io session, the instance that opened the session. */
  function targetsOf(backend: Backend, target: string): readonly Target[] {
    const session = sessionIn(target);
    const sessionTarget = session === undefined ? undefined : backends[backend].targetOfSession(session);
    return sessionTarget ? [sessionTarget] : backends[backend].candidates();
  }
  const messageClasses = createMessageClasses();
  const inProcess: Partial<Record<Backend, Server>> = {};
  let isOpen = options.open;

  function createListener({ origin, isClosed }: { origin?: string; isClosed: () => boolean | Promise<boolean> }) {
    const proxy = createProxy({ ...proxyOptions, ...(origin !== undefined && { origin }) });

    async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const target = request.url ?? '/';
      const path = pathOf(target);
      if (path === '/health/live') return sendJson(request, response, 200, { status: 'live' });
      if (path === '/health/ready') {
        const { status, parts } = await readiness();
        const isReady = status === 'ready' && !(await isClosed());
        return sendJson(request, response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'starting', parts });
      }
      if (await isClosed()) return sendStartingPage(request, response, publicUrl);
      const destination = destinationOf(request.method ?? 'GET', target);
      if (destination === 'nowhere') return refuse(request, response, 404, 'NOT_FOUND', 'There is no such address');
      if (destination !== 'web-app') {
        const service = inProcess[destination];
        if (service) return proxy.emitRequest(request, response, service);
        return proxy.forward(request, response, targetsOf(destination, target));
      }
      if (serveWebApp === undefined) return refuse(request, response, 404, 'NOT_FOUND', 'The web app is not built');
      return serveWebApp(request, response);
    }

    async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
      // Node has no error listener after an upgrade. Without this one, a browser that resets the connection would end
      // the process.
      socket.on('error', () => socket.destroy());
      const destination = upgradeDestinationOf(request.url ?? '/');
      const service = destination === 'nowhere' ? undefined : inProcess[destination];
      if (await isClosed()) refuseUpgrade(socket, 503, 'Service Unavailable');
      else if (destination === 'nowhere') refuseUpgrade(socket, 404, 'Not Found');
      else if (service) proxy.emitUpgrade(request, socket, head, service);
      else proxy.upgrade(request, socket, head, targetsOf(destination, request.url ?? '/'));
    }

    const server = createServer(
      {
        // A large upload over a slow connection may take any time, but `limitUnfinished` refuses bodies that stop
        // arriving.
        requestTimeout: 0,
        headersTimeout: limits.headMs,
        connectionsCheckingInterval: limits.headCheckMs,
        keepAliveTimeout: KEPT_MS,
        maxHeaderSize: HEADER_BYTES_MAX,
        ...messageClasses,
      },
      (request, response) => {
        if (unfinished.admits(request, response)) answer(request, response).catch(() => response.destroy());
      },
    );
    const unfinished = limitUnfinished(server, { ...limits, ...(trustForwarded && { perAddress: undefined }) });
    server.on('upgrade', (request, socket, head) => {
      upgrade(request, socket, head).catch(() => socket.destroy());
    });
    server.on('close', proxy.close);
    return { server, proxy };
  }

  const publicListener = createListener({ isClosed: () => !isOpen || isStarting() });
  const privateListener = createListener({ origin: publicUrl, isClosed: () => false });

  return {
    messageClasses,
    hostInProcess(backend, service) {
      inProcess[backend] = service;
    },
    listen: (port, host) => listen(publicListener.server, port, host),
    listenPrivately: (port) => listen(privateListener.server, port, '127.0.0.1'),
    open() {
      isOpen = true;
      privateListener.server.close();
      privateListener.server.closeIdleConnections();
    },
    async close() {
      for (const part of Object.values(parts)) part.close();
      await Promise.all([publicListener, privateListener].map(close));
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Closes a server: ends its streams, and waits until its other pending requests are answered. */
function close({ server, proxy }: { server: Server; proxy: { endStreams(): void } }): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    stopListening(server).then(resolve, resolve);
    proxy.endStreams();
  });
}
