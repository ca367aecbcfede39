/**
 * Runs the routers of command-api and query-api in this process, with the database and the log of the stack. Lists
 * their routes, and serves single routes with other declarations of access.
 */
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { previewOf } from '@rdm/command-api/previews';
import { routesOf as commandRoutes } from '@rdm/command-api/routes';
import { Commands } from '@rdm/command-api/runtime/commands';
import { Pace, projectedPositionReader } from '@rdm/command-api/runtime/pace';
import { Streams } from '@rdm/command-api/runtime/streams';
import { PASSWORD_MIN_LENGTH } from '@rdm/contracts';
import {
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  createPool,
  openAccess,
  openApiKeyUse,
  type Route,
  type RouteAccess,
  readCookie,
  readSettings,
  signSession,
} from '@rdm/platform';
import { openChangeStreams } from '@rdm/query-api/change-feed/change-streams';
import { openDownloadSlots } from '@rdm/query-api/http/download-slots';
import { createMatching } from '@rdm/query-api/matching/matching';
import { openBuilds } from '@rdm/query-api/read-models/builds';
import { openPostgresNotifications } from '@rdm/query-api/read-models/postgres-notifications';
import { openReadModels } from '@rdm/query-api/read-models/read-models';
import { routesOf as queryRoutes } from '@rdm/query-api/routes';
import type { Caller } from './callers.ts';
import type { Target } from './cells.ts';

const SECRET = 'the secret of the routers of this test';

export interface Routers {
  /** The routes by their names in the table, such as `GET /api/collections/:id`. */
  routes: ReadonlyMap<string, Route>;
  /** Serves only this route, with this access instead of the declared access. */
  serve(route: Route, access: RouteAccess): Target;
  close(): Promise<void>;
}

/** Returns a response that is both the metadata and the empty key set of a sign-in provider. */
const providerAt = (baseUrl: string) => ({
  issuer: `${baseUrl}/provider`,
  jwks_uri: `${baseUrl}/provider/keys`,
  keys: [],
});

const refuseUpload = (response: ServerResponse) =>
  response.writeHead(422).end(JSON.stringify({ code: 'BACKUP_DAMAGED', error: 'This file is not a backup' }));

const SIGNATURE = { keyId: '0'.repeat(16), signature: '' };

export const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

export async function openRouters(databaseUrl: string, eventStoreUrl: string): Promise<Routers> {
  let listener: RequestListener = () => {};
  const server = createServer((request, response) => {
    // Requests between services contain the service secret, but requests of callers do not.
    const isServiceRequest = request.headers['x-service-secret'] === SECRET;
    if (isServiceRequest && request.url?.startsWith('/internal/projections/')) response.writeHead(202).end();
    else if (isServiceRequest && request.url?.startsWith('/internal/audit-logs/'))
      response.end(JSON.stringify(SIGNATURE));
    else if (isServiceRequest && request.url === '/internal/uploads')
      request.resume().on('end', () => refuseUpload(response));
    else if (request.url?.startsWith('/provider')) response.end(JSON.stringify(providerAt(baseUrl)));
    else listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const settings = readSettings({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    EVENTSTORE_URL: eventStoreUrl,
    SESSION_SECRET: SECRET,
    SERVICE_SECRET: SECRET,
    // The server of this test replaces the projector, the maintenance process and the signing route of command-api: it
    // rebuilds nothing, refuses uploads and returns an empty signature.
    PROJECTOR_URL: baseUrl,
    COMMAND_API_URL: baseUrl,
    MAINTENANCE_URL: baseUrl,
    SSO_PROVIDER: 'okta',
    SSO_ISSUER: providerAt(baseUrl).issuer,
    SSO_CLIENT_ID: 'rdm',
    LOG_LEVEL: 'silent',
  });
  const log = createLog('routers', settings.LOG_LEVEL);
  const metrics = createMetrics('routers');
  const pool = createPool(databaseUrl, { max: 6, name: 'routers' });
  const store = connectEventStore(eventStoreUrl);
  const access = openAccess(store);
  const streams = new Streams(store);
  const now = () => new Date();
  const commands = new Commands({ pool, streams, access, log, secret: SECRET, now });
  const notifications = await openPostgresNotifications(databaseUrl, log);
  const builds = await openBuilds(pool, notifications, log);
  const apiKeyUse = openApiKeyUse({ db: pool, log, requestsPerMinute: 1_000_000 });

  const passwordRules = { minLength: PASSWORD_MIN_LENGTH, specialCharacter: true };
  const searchPool = createPool(databaseUrl, { max: 1, name: 'routers' });
  const readModels = openReadModels({
    pool,
    regexPool: pool,
    searchPool,
    downloadPool: pool,
    builds,
  });
  // The matching runs in this thread, because the worker thread needs compiled files.
  const matching = createMatching(async (statement) => (await pool.query(statement)).rows);
  const changes = openChangeStreams({ readModels, pool, access, settings, log, notifications, metrics });
  const routes = [
    ...commandRoutes({
      commands,
      pool,
      uploadPool: pool,
      streams,
      access,
      settings,
      passwordRules,
      now,
      log,
      wakeImports: () => {},
      wakeDrafts: () => {},
      // The preview runs in this process, because only the service starts child processes for files.
      preview: (request) => previewOf({ streams, access, pool, now }, request) as never,
      pace: new Pace(projectedPositionReader(pool)),
      // No signing key is needed, because the server of this test answers requests for signatures.
      signingKey: undefined,
    }),
    ...queryRoutes({
      readModels,
      matching,
      pool,
      access,
      store,
      settings,
      log,
      freezable: new Map(),
      connectedClients: () => 0,
      downloadSlots: openDownloadSlots(),
      streams: changes,
    }),
  ];

  return {
    routes: new Map(routes.map((route) => [nameOf(route), route])),
    serve(route, declaredAccess) {
      listener = createApp([{ ...route, access: declaredAccess }], {
        log,
        metrics,
        db: pool,
        sessionSecret: SECRET,
        serviceSecret: SECRET,
        publicUrl: baseUrl,
        access: () => access.current(),
        apiKeyUse,
        ready: async () => ({}),
      });
      return { baseUrl, as: withLocalSession };
    },
    async close() {
      await new Promise((resolve) => server.close(resolve));
      changes.close();
      await apiKeyUse.close();
      builds.close();
      await notifications.close();
      await store.close();
      await searchPool.end();
      await pool.end();
    },
  };
}

/** Signs the session of the caller with the secret of these routers. */
function withLocalSession(caller: Caller): Caller {
  const token = readCookie(caller.cookie, 'session');
  if (token === undefined) return caller;
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return { ...caller, cookie: `session=${signSession(sid, SECRET, 1)}` };
}
