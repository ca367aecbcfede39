/** The main module of the child processes that read files; each process has its own connections and caches. */
import {
  connectEventStore,
  createLog,
  createPool,
  lowerPriority,
  openAccess,
  openErrorLog,
  setHeapGrowth,
  toRefusal,
} from '@rdm/platform';
import { startBulkWorker } from './bulk/worker.ts';
import { importFile as importMappings } from './crosswalks/import-commands.ts';
import type { FileProcessSettings, FromProcess, PreviewRequest, ToProcess } from './file-imports/file-process.ts';
import { startDraftWorker } from './imports/drafts/draft-worker.ts';
import { startImportWorker } from './imports/job/worker.ts';
import { previewOf } from './previews.ts';
import { importFile as importValues } from './relationships/import-commands.ts';
import { Commands } from './runtime/commands.ts';
import { createSerialRunner } from './runtime/mutex.ts';
import { Pace, PacedCommand, projectedPositionReader } from './runtime/pace.ts';
import { RowCache } from './runtime/row-cache.ts';
import { Streams } from './runtime/streams.ts';

const CACHE_BYTES = 32 * 1024 * 1024;

/**
 * The number of rows by which an import into a data set can be ahead of the read models: more than one projector batch,
 * so that the projector is always busy, but few enough that the last row is readable soon after its append.
 */
const ROWS_AHEAD = 30_000;
/** The pause before each read of the projected position. The projection of `ROWS_AHEAD` rows takes longer. */
const POLL_MS = 25;

/** This process gets a lower CPU priority than the process that serves requests. */
const NICER_BY = 10;
lowerPriority(NICER_BY);

const settings = JSON.parse(process.env['FILE_PROCESS'] ?? '') as FileProcessSettings;
const { work, name } = settings;
// An import of rows has a heap of about 35 MiB, so growth by 300 percent is cheap. Other work can have a large heap and
// uses the default.
if (work === 'rows') setHeapGrowth(300);

const NAMES = { rows: 'imports', reviewed: 'imports of reviewed rows', drafts: 'drafts of imports' } as const;
const log = createLog(`command-api ${NAMES[work]}`, settings.LOG_LEVEL);
const pool = createPool(settings.DATABASE_URL, {
  max: 8,
  name: `command-api files (${work})`,
  isLowPriority: settings.DATABASE_EMBEDDED,
});
const errors = openErrorLog({ db: pool, service: 'command-api', log });
const store = connectEventStore(settings.EVENTSTORE_URL);
const access = openAccess(store);
const now = () => new Date();
const streams = new Streams(store, { cacheBytes: CACHE_BYTES, rowCache: new RowCache(pool, log) });
const pace = new Pace(projectedPositionReader(pool));
let isExclusive = settings.isExclusive;
const options = { name, isExclusive: () => isExclusive };

const START = { rows: startInstanceImports, reviewed: startReviewedRowImports, drafts: startDrafts } as const;
const worker = START[work]();

function startInstanceImports() {
  const keyStates = new Streams(store, { cacheBytes: CACHE_BYTES });
  const importPace = new Pace(projectedPositionReader(pool), undefined, POLL_MS);
  const newPace = () => new PacedCommand(importPace, ROWS_AHEAD);
  return startImportWorker({ pool, store, streams, keyStates, access, log, errors, now, newPace }, options);
}

function startDrafts() {
  const keyStates = new Streams(store, { cacheBytes: CACHE_BYTES });
  return startDraftWorker({ pool, streams, keyStates, log }, options);
}

function startReviewedRowImports() {
  // Another process accepted these commands. Resuming a command hashes no request body and needs no secret.
  const commands = new Commands({ pool, streams, access, log, pace, secret: '', now });
  commands.register([importMappings, importValues]);
  return startBulkWorker({ commands, pool, streams, access, log, errors, now }, { ...options, work: 'files' });
}

// A preview holds all rows of its file in memory: run one at a time.
const runSerially = createSerialRunner();

async function answer(id: number, request: PreviewRequest): Promise<void> {
  const answered = await runSerially(() => previewOf({ streams, access, pool, now }, request)).then(
    (result): FromProcess => ({ id, answer: result }),
    (error: unknown): FromProcess => {
      const refusal = toRefusal(error);
      if (!refusal) return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      const { code, message, details, retryAfter } = refusal;
      return { id, refusal: { code, message, details, retryAfter } };
    },
  );
  process.send?.(answered);
}

process.on('message', async (message: ToProcess) => {
  if (typeof message === 'object') return answer(message.id, message.preview);
  if (message === 'wake') return worker.wake();
  if (message === 'other work happened') return pace.recordActivity();
  if (message === 'run jobs concurrently') {
    isExclusive = false;
    return;
  }
  await worker.stop();
  await errors.flush();
  await store.close();
  await pool.end();
  process.disconnect();
});
// This process has stopped, or its parent process has ended: other processes resume the jobs.
process.on('disconnect', () => process.exit());
// The parent process ended before this process could listen.
if (!process.connected) process.exit();
// The parent process decides when this process stops, even if a signal reaches the whole process group.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
