/** The query-api service: answers reads from the read models and tells changes live. */
import {
  announceReady,
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  createPool,
  listen,
  migrate,
  openAccess,
  readSettings,
  stopGracefully,
} from '@rdm/platform';
import { openBuilds } from './builds.ts';
import type { Floor } from './floor.ts';
import { type Live, openLive } from './live.ts';
import { openNotifications } from './notifications.ts';
import { openReadModels } from './read-models.ts';
import { routesOf } from './rooms.ts';

const STATEMENT_TIMEOUT_MS = 10_000;
/** A catastrophic regular expression is cancelled after this, on connections of its own. */
const RISKY_TIMEOUT_MS = 2_000;

const settings = readSettings();
const log = createLog('query-api', settings.LOG_LEVEL);
const metrics = createMetrics('query-api');

await migrate(settings.DATABASE_URL);
const pool = createPool(settings.DATABASE_URL, {
  max: 16,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  name: 'query-api',
});
const riskyPool = createPool(settings.DATABASE_URL, {
  max: 2,
  statementTimeoutMs: RISKY_TIMEOUT_MS,
  name: 'query-api-risky',
});
const notifications = await openNotifications(settings.DATABASE_URL, log);
const builds = await openBuilds(pool, notifications, log);
const store = connectEventStore(settings.EVENTSTORE_URL);
const access = openAccess(store);
const readModels = openReadModels({ pool, riskyPool, builds });

const following = new AbortController();
let live: Live | undefined;
const followed = access.follow(following.signal, log, () => live?.accessChanged());

const floor: Floor = {
  readModels,
  pool,
  access,
  store,
  settings,
  log,
  freezable: new Map(),
  connectedClients: () => live?.clients() ?? 0,
};

const app = createApp(routesOf(floor), {
  log,
  metrics,
  db: pool,
  sessionSecret: settings.SESSION_SECRET,
  serviceSecret: settings.SERVICE_SECRET,
  publicUrl: settings.PUBLIC_URL,
  access: async () => access.snapshot(),
  ready: async () => ({
    readModels: readModels.missing().length === 0,
    access: access.revision() >= 0,
  }),
});
const server = await listen(app, settings.PORT, settings.HOST);
live = await openLive({ ...floor, server, builds, notifications, metrics });
log.info({ port: server.port }, 'Listening');
announceReady(server.port);

stopGracefully(log, async () => {
  following.abort();
  await live.close();
  await Promise.all([server.close(), followed]);
  builds.close();
  await notifications.close();
  await store.close();
  await Promise.all([pool.end(), riskyPool.end()]);
});
