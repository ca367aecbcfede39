/**
 * Entry point of the maintenance process: it makes, verifies and serves backups, purges data, and scavenges the event
 * store. command-api appends the events.
 */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyAccess, type RunningRestore, SIGNING_KEYS_STREAM, type SigningKeyEvent } from '@rdm/contracts';
import {
  announceReady,
  connectEventStore,
  createApp,
  createLog,
  createMetrics,
  createPool,
  listen,
  loadSigningKey,
  lowerPriority,
  openErrorLog,
  readSettings,
  stopGracefully,
} from '@rdm/platform';
import type { RestoreMessage, RestoreRequest } from './launcher/restore.ts';
import { MaintenanceError } from './maintenance/errors.ts';
import { embeddedLog, remoteLog } from './maintenance/log-source.ts';
import { NICENESS } from './maintenance/niceness.ts';
import { startBackupWork } from './maintenance/process/backup-work.ts';
import { connectCommandApi } from './maintenance/process/command-api.ts';
import { startPurgeWork } from './maintenance/process/purge-work.ts';
import { maintenanceRoutes } from './maintenance/process/routes.ts';
import { openScavengeWork } from './maintenance/process/scavenge-work.ts';
import { readMaintenanceSettings } from './maintenance/process/settings.ts';
import { reclaimSpace } from './maintenance/purge/reclaim.ts';

const NO_SIGNING_KEY =
  'The signing key of the manifest is not set. Set AUDIT_SIGNING_KEY to the file with the key of the audit log, and resume the purge.';

lowerPriority(NICENESS);
const settings = readSettings();
const maintenanceSettings = readMaintenanceSettings();
const log = createLog('maintenance', settings.LOG_LEVEL);
const metrics = createMetrics('maintenance');
const pool = createPool(settings.DATABASE_URL, { max: 4, name: 'maintenance' });
const errors = openErrorLog({ db: pool, service: 'maintenance', log, metrics });
const store = connectEventStore(settings.EVENTSTORE_URL, metrics);
await mkdir(maintenanceSettings.folder, { recursive: true, mode: 0o700 });

/** The data folder; undefined for a remote event store, whose files are on another machine. */
const embeddedDir = settings.EVENTSTORE_EMBEDDED ? settings.DATA_DIR : undefined;
const commandApi = connectCommandApi(settings);
const work = startBackupWork({
  pool,
  store,
  source:
    embeddedDir !== undefined
      ? embeddedLog(store, join(embeddedDir, 'event-store'))
      : remoteLog(store, settings.EVENTSTORE_URL),
  dataDir: embeddedDir,
  commandApi,
  log,
  folder: maintenanceSettings.folder,
  sessionSecret: settings.SESSION_SECRET,
  signingKeyFile: maintenanceSettings.signingKeyFile,
  trustedKeys,
  productVersion: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
  passphrase: maintenanceSettings.passphrase,
  now: () => new Date(),
});

const purges = startPurgeWork({
  pool,
  store,
  commandApi,
  projectors: { urls: settings.PROJECTOR_URL ?? [], serviceSecret: settings.SERVICE_SECRET },
  reclaim: (client, streams, signal) =>
    reclaimSpace(client, streams, {
      ...{ eventStoreUrl: settings.EVENTSTORE_URL, isEmbedded: settings.EVENTSTORE_EMBEDDED },
      ...{ store, signal, log },
    }),
  signingKey() {
    if (maintenanceSettings.signingKeyFile === undefined) throw new MaintenanceError('UNKNOWN_KEY', NO_SIGNING_KEY);
    return loadSigningKey(maintenanceSettings.signingKeyFile);
  },
  manifestPartMax: maintenanceSettings.manifestPartMax,
  folder: maintenanceSettings.folder,
  dataDir: settings.DATA_DIR,
  waitMs: 60_000,
  log,
});

const lastBackup = metrics.gauge('maintenance_last_backup_timestamp_seconds', 'The time of the newest intact backup');
const overdue = metrics.gauge(
  'maintenance_backup_overdue',
  '1 if no backup has succeeded for two intervals of the schedule',
);
const metricsTimer = setInterval(() => {
  lastBackup.set((work.newestIntactAt()?.getTime() ?? 0) / 1_000);
  overdue.set(work.isOverdue() ? 1 : 0);
}, 10_000);

/** The restore that the launcher prepares while the product serves; null for none. */
let restoring: RunningRestore | null = null;
process.on('message', (message: RestoreMessage) => {
  if (message.type === 'restoring') restoring = message.restoring;
});
function requestRestore(request: RestoreRequest): void {
  restoring = { fileName: request.fileName, progress: 0 };
  process.send?.({ type: 'restore', request } satisfies RestoreMessage);
}

const scavenges = openScavengeWork({ pool, eventStoreUrl: settings.EVENTSTORE_URL, log });

const routes = maintenanceRoutes({
  ...{ folder: maintenanceSettings.folder, dataDir: settings.DATA_DIR, trustedKeys },
  requestRestore: process.env['RESTORE_HERE'] === 'on' ? requestRestore : undefined,
  restoring: () => restoring,
  ...{ ...work, ...scavenges },
});
const app = createApp(routes, {
  log,
  metrics,
  errors,
  db: pool,
  sessionSecret: settings.SESSION_SECRET,
  serviceSecret: settings.SERVICE_SECRET,
  publicUrl: settings.PUBLIC_URL,
  // No user signs in here: all routes are for services.
  access: async () => emptyAccess(),
  ready: async () => ({
    database: await pool.query('SELECT 1').then(
      () => true,
      () => false,
    ),
    'event store': (await store.problem()) ?? true,
  }),
});
const server = await listen(app, settings.PORT, settings.HOST);
announceReady(server.port);

stopGracefully(log, async () => {
  clearInterval(metricsTimer);
  await scavenges.stopScavenge();
  await Promise.all([work.stop(), purges.stop()]);
  await server.close();
  await errors.flush();
  await store.close();
  await pool.end();
});

/** Returns all keys with which this installation has ever signed. */
async function trustedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { type, data } of store.read(SIGNING_KEYS_STREAM)) {
    if (type === 'SigningKeyRegistered') keys.push((data as SigningKeyEvent['data']).publicKey);
  }
  return keys;
}
