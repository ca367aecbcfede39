/** What runs in the import worker's thread: connections and caches of its own. */
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { connectEventStore, createLog, createPool, openAccess } from '@rdm/platform';
import { Streams } from '../streams.ts';
import type { ThreadMessage, ThreadSettings } from './thread.ts';
import { startImportWorker } from './worker.ts';

const CACHE_BYTES = 32 * 1024 * 1024;

/** Whoever waits for an answer goes first: so much nicer than the requests' thread. */
const NICER_BY = 5;
// Linux gives each thread a priority of its own; elsewhere the requests would lose theirs.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICER_BY, 19));

const settings = workerData as ThreadSettings;
const pool = createPool(settings.DATABASE_URL, { max: 8, name: 'command-api imports' });
const store = connectEventStore(settings.EVENTSTORE_URL);
const worker = startImportWorker({
  pool,
  store,
  streams: new Streams(store, CACHE_BYTES),
  keys: new Streams(store, CACHE_BYTES),
  access: openAccess(store),
  log: createLog('command-api imports', settings.LOG_LEVEL),
  now: () => new Date(),
});

parentPort?.on('message', async (message: ThreadMessage) => {
  if (message === 'wake') return worker.wake();
  await worker.stop();
  await store.close();
  await pool.end();
  parentPort?.close();
});
