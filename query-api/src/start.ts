/** Starts query-api, which answers reads from the read models and sends live changes. */
import type { Server } from 'node:http';
import { READ_MODELS_STARTING } from '@rdm/contracts';
import {
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  type Log,
  listen,
  type MessageClasses,
  migrate,
  openAccess,
  openApiKeyUse,
  openErrorLog,
  openSessionMemory,
  readSettings,
} from '@rdm/platform';
import { openChangeStreams } from './change-feed/change-streams.ts';
import { openDownloadSlots } from './http/download-slots.ts';
import { type Live, openLive } from './live/live.ts';
import { openMatching } from './matching/matching-thread.ts';
import type { QueryContext } from './query-context.ts';
import { openBuilds } from './read-models/builds.ts';
import { openPools } from './read-models/pools.ts';
import { openPostgresNotifications } from './read-models/postgres-notifications.ts';
import { openReadModels, type ReadModels } from './read-models/read-models.ts';
import { routesOf } from './routes.ts';

export type QueryApi = {
  /** Accepts requests and upgrades on its own port. Another server of the same process can also pass requests to it. */
  server: Server;
  port: number;
  log: Log;
  /** Ends the streams, waits for requests in flight here and for `frontDoorAnswered`, and closes the stores. */
  close(frontDoorAnswered?: Promise<void>): Promise<void>;
};

/**
 * Resolves when the server listens. `messageClasses` are the request and response classes of another server, which
 * passes requests to this one.
 */
export async function startQueryApi(
  environment: NodeJS.ProcessEnv,
  messageClasses?: MessageClasses,
): Promise<QueryApi> {
  const settings = readSettings(environment);
  const log = createLog('query-api', settings.LOG_LEVEL);
  const metrics = createMetrics('query-api');

  await migrate(settings.DATABASE_URL);
  const pools = openPools(settings);
  const { pool } = pools;
  const notifications = await openPostgresNotifications(settings.DATABASE_URL, log);
  const builds = await openBuilds(pool, notifications, log);
  const store = connectEventStore(settings.EVENTSTORE_URL, metrics);
  const access = openAccess(store);
  const readModels = openReadModels({ ...pools, builds, log: store });

  const following = new AbortController();
  let live: Live | undefined;
  const streams = openChangeStreams({ readModels, pool, access, settings, log, notifications, metrics });
  const followed = access.follow(following.signal, log, (event) => {
    live?.accessChanged(event);
    streams.accessChanged();
  });

  const matching = openMatching({ settings, log });
  const context: QueryContext = {
    readModels,
    matching,
    pool,
    access,
    store,
    settings,
    log,
    freezable: new Map(),
    streams,
    connectedClients: () => live?.clients() ?? 0,
    downloadSlots: openDownloadSlots(),
  };

  const apiKeyUse = openApiKeyUse({ db: pool, log, requestsPerMinute: settings.API_KEY_REQUESTS_PER_MINUTE });
  const errors = openErrorLog({ db: pool, service: 'query-api', log, metrics });
  const app = createApp(routesOf(context), {
    log,
    metrics,
    errors,
    db: pool,
    sessionSecret: settings.SESSION_SECRET,
    serviceSecret: settings.SERVICE_SECRET,
    publicUrl: settings.PUBLIC_URL,
    access: async () => access.readable(),
    apiKeyUse,
    sessions: openSessionMemory(),
    ready: async () => ({
      'event store': (await store.problem()) ?? true,
      readModels: readinessOf(readModels),
      access: access.problem() ?? access.revision() >= 0,
    }),
  });
  const server = await listen(app, settings.PORT, settings.HOST, messageClasses);
  live = await openLive({ ...context, server, builds, notifications, metrics });
  streams.attach(server.server);
  log.info({ port: server.port }, 'Listening');
  return {
    server: server.server,
    port: server.port,
    log,
    async close(frontDoorAnswered = Promise.resolve()) {
      streams.close();
      await live.close();
      await Promise.all([server.close(), frontDoorAnswered]);
      // The access state is followed until all requests are answered, because they are checked against current grants.
      following.abort();
      await followed;
      await matching.close();
      await apiKeyUse.close();
      await errors.flush();
      builds.close();
      await notifications.close();
      await store.close();
      await pools.end();
    },
  };
}

function readinessOf(readModels: ReadModels): true | string {
  if (!readModels.isComplete()) return READ_MODELS_STARTING;
  const missing = readModels.missing();
  return missing.length === 0 || `not serving: ${missing.join(', ')}`;
}
