/** Entry point of the projector: it leads or is on standby, and reports its health. */
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyAccess } from '@rdm/contracts';
import {
  announceReady,
  announceRefusal,
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  createPool,
  listen,
  migrate,
  openErrorLog,
  readSettings,
  setHeapGrowth,
  stopGracefully,
} from '@rdm/platform';
import { internalRoutes } from './engine/internal-routes.ts';
import { createProjector } from './engine/leader-term.ts';
import { lockWarning } from './engine/lock-waits.ts';
import { projections } from './projections.ts';

// The heap has about 35 MiB: heap and buffers grow by up to 70 MiB before the next full collection.
setHeapGrowth(200);

const settings = readSettings();
const log = createLog('projector', settings.LOG_LEVEL);
const metrics = createMetrics('projector');
const db = createPool(settings.DATABASE_URL, { max: 3, name: 'projector', statementTimeoutMs: 5_000 });
const errors = openErrorLog({ db, service: 'projector', log, metrics });
const store = connectEventStore(settings.EVENTSTORE_URL, metrics);
const stopping = new AbortController();

const projected = metrics.counter('projector_events_total', 'Events projected');
const batchSize = metrics.gauge('projector_batch_events', 'Events of the last batch');
const lag = metrics.gauge('projector_lag_seconds', 'Age of the last projected event when it was projected');
const detachedTotal = metrics.counter('projector_detached_total', 'Projections detached by an event', ['projection']);

const graceSeconds = Number(process.env['OLD_BUILD_GRACE_SECONDS'] ?? 60);
if (!(graceSeconds >= 0)) throw new Error('OLD_BUILD_GRACE_SECONDS must be a number of seconds, such as 60');

let isCaughtUp = false;
const projector = createProjector({
  databaseUrl: settings.DATABASE_URL,
  isDatabaseEmbedded: settings.DATABASE_EMBEDDED,
  store,
  log,
  errors,
  projections,
  graceMs: graceSeconds * 1_000,
  acceptedEnd: settings.ACCEPT_LOG_END,
  onProblem: (problem) => void announceRefusal(problem),
  progress: {
    onBatch(events, detached) {
      projected.inc(events.length);
      batchSize.set(events.length);
      lag.set(Math.max(0, (Date.now() - Date.parse(events.at(-1)?.metadata.occurredAt ?? '')) / 1_000) || 0);
      for (const { projection } of detached) detachedTotal.inc({ projection: projection.name });
    },
    onCaughtUp: () => {
      isCaughtUp = true;
    },
  },
});

/** A standby projector that takes over reports ready for this long, although it has not caught up yet. */
const TAKEOVER_MS = 5_000;
let lastStandby = Number.NEGATIVE_INFINITY;

function isReady(): boolean {
  if (projector.state === 'STANDBY') lastStandby = performance.now();
  const isTakingOver = performance.now() - lastStandby < TAKEOVER_MS;
  return projector.state === 'STANDBY' || (projector.state === 'LEADING' && (isCaughtUp || isTakingOver));
}

/**
 * A wait for a lock is only a warning, because a restart would not end the wait. If the query fails, `database` reports
 * the failure.
 */
const readLocks = () =>
  lockWarning(db, projector.lockTimeouts).then(
    (warning) => (warning === undefined ? true : { warning }),
    () => true,
  );

const app = createApp(internalRoutes(db, projector, projections), {
  log,
  metrics,
  errors,
  db,
  sessionSecret: settings.SESSION_SECRET,
  serviceSecret: settings.SERVICE_SECRET,
  publicUrl: settings.PUBLIC_URL,
  // No user signs in here: all routes are for services.
  access: async () => emptyAccess(),
  ready: async () => ({
    database: await db.query('SELECT 1').then(
      () => true,
      () => false,
    ),
    'event store': (await store.problem()) ?? true,
    projecting: projector.problem ?? isReady(),
    locks: await readLocks(),
  }),
});
const server = await listen(app, settings.PORT, settings.HOST);

for (let migrated = false; !migrated && !stopping.signal.aborted; ) {
  try {
    await migrate(settings.DATABASE_URL);
    migrated = true;
  } catch (error) {
    log.warn({ err: error }, 'The database could not be prepared: trying again');
    await sleep(1_000);
  }
}
const running = projector.run(stopping.signal);
announceReady(server.port);

stopGracefully(log, async () => {
  stopping.abort();
  await running;
  await server.close();
  await errors.flush();
  await store.close();
  await db.end();
});
