/** Opens the stores of a stopped product. The lock of the data folder keeps the product from starting meanwhile. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectEventStore, createPool, type EventStore, type Pool, signingKeyPath } from '@rdm/platform';
import { type SpawnOptions, startEventStoreProcess } from '../event-store/spawn.ts';
import { endOrphanedProcesses } from '../launcher/leftovers.ts';
import { lockDirectory } from '../launcher/lock.ts';
import type { Secrets } from '../launcher/secrets.ts';
import type { Settings } from '../launcher/settings.ts';
import { startPostgres } from '../postgres/postgres.ts';
import { UsageError } from './command-line.ts';
import { embeddedLog, type LogSource, remoteLog } from './log-source.ts';
import { completeRestore } from './restore/complete.ts';

export interface OpenedStores {
  pool: Pool;
  store: EventStore;
  eventStoreUrl: string;
  source: LogSource;
  signingKeyFile: string;
  sessionSecret: string;
  close(): Promise<void>;
}

/** The settings of an embedded event store. */
type EventStoreOptions = Pick<SpawnOptions, 'scavengePauseFactor'>;

/**
 * Opens the stores; rejects with `DirectoryInUse` if the product runs. As in the product, `AUDIT_SIGNING_KEY` in `env`
 * overrides the signing key of the data folder.
 */
export async function openStoppedProduct(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  options: EventStoreOptions = {},
): Promise<OpenedStores> {
  const { dataDir } = settings;
  if (!existsSync(join(dataDir, 'secrets.json'))) {
    throw new UsageError(`${dataDir} holds no data of this product: set DATA_DIR to the folder that the product uses.`);
  }
  const release = lockDirectory(dataDir);
  try {
    await endOrphanedProcesses(join(dataDir, 'processes.json'), console.log);
    await completeRestore(dataDir);
    requireStores(settings);
    const stores = await openStores(settings, env, options);
    const close = async () => {
      await stores.close();
      release();
    };
    return { ...stores, close };
  } catch (error) {
    release();
    throw error;
  }
}

/** Throws if the data folder lacks an embedded store that the settings expect there. */
function requireStores({ dataDir, eventStoreUrl, databaseUrl }: Settings): void {
  const missing = [
    ...(eventStoreUrl || existsSync(join(dataDir, 'event-store')) ? [] : ['EVENTSTORE_URL']),
    ...(databaseUrl || existsSync(join(dataDir, 'postgres')) ? [] : ['DATABASE_URL']),
  ];
  if (missing.length === 0) return;
  throw new UsageError(
    `${dataDir} does not contain all stores of the product: set ${missing.join(' and ')} as for npm start.`,
  );
}

/** Opens the embedded or remote stores of the settings. The caller must hold the lock of the data folder. */
export async function openStores(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  options: EventStoreOptions = {},
): Promise<OpenedStores> {
  const { dataDir } = settings;
  const { sessionSecret } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Secrets;
  const cleanups: (() => unknown)[] = [];
  const close = async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  };
  try {
    const databaseUrl = settings.databaseUrl ?? (await startDatabase(dataDir, cleanups));
    const pool = createPool(databaseUrl, { max: 2, name: 'backup' });
    cleanups.push(() => pool.end());
    const eventStoreUrl = settings.eventStoreUrl ?? (await startEventStore(dataDir, options, cleanups));
    const store = connectEventStore(eventStoreUrl);
    cleanups.push(() => store.close());
    const source = settings.eventStoreUrl
      ? remoteLog(store, eventStoreUrl)
      : embeddedLog(store, join(dataDir, 'event-store'));
    const signingKeyFile = env['AUDIT_SIGNING_KEY'] || signingKeyPath(dataDir);
    return { pool, store, eventStoreUrl, source, signingKeyFile, sessionSecret, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startDatabase(dataDir: string, cleanups: (() => unknown)[]): Promise<string> {
  const server = await startPostgres({ dir: join(dataDir, 'postgres'), log: () => {} });
  cleanups.push(() => server.stop());
  return server.url;
}

async function startEventStore(
  dataDir: string,
  options: EventStoreOptions,
  cleanups: (() => unknown)[],
): Promise<string> {
  const passwordFile = join(dataDir, 'event-store-password');
  const dir = join(dataDir, 'event-store');
  const server = await startEventStoreProcess({ ...options, dir, passwordFile, output: 'pipe' });
  cleanups.push(() => server.stop());
  return server.url;
}
