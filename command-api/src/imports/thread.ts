/** The import worker in a thread of its own: requests are answered while it parses, and its memory is bounded. */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Log, Settings } from '@rdm/platform';
import type { ImportWorker } from './worker.ts';

const MAIN = new URL('./thread.main.js', import.meta.url);
/**
 * Beyond it the thread ends, and its imports are gone on with by the next one. Hardly anything that is young survives: a
 * larger nursery is resident memory that saves no time.
 */
const LIMITS = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 };
const PAUSE_MS_MAX = 30_000;
/** A thread that lived for so long did not fail at its start. */
const STEADY_MS = 60_000;

export type ThreadSettings = Pick<Settings, 'DATABASE_URL' | 'EVENTSTORE_URL' | 'LOG_LEVEL'>;
export type ThreadMessage = 'wake' | 'stop';

/** Starts the thread, and another one whenever it ends by itself. */
export function startImportThread(settings: ThreadSettings, log: Log): ImportWorker {
  const { DATABASE_URL, EVENTSTORE_URL, LOG_LEVEL } = settings;
  const workerData: ThreadSettings = { DATABASE_URL, EVENTSTORE_URL, LOG_LEVEL };
  const stopping = new AbortController();
  let thread: Worker | undefined;
  const tell = (message: ThreadMessage) => thread?.postMessage(message);

  const keepOne = async () => {
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      thread = new Worker(MAIN, { workerData, resourceLimits: LIMITS });
      thread.on('error', (error) => log.error({ err: error }, 'The import worker failed'));
      const began = Date.now();
      const code = await exitOf(thread);
      thread = undefined;
      if (Date.now() - began > STEADY_MS) failures = 0;
      if (stopping.signal.aborted) return;
      log.warn({ code }, 'The import worker ended; starting another one');
      await pause(Math.min(100 * 2 ** failures, PAUSE_MS_MAX), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  };
  const kept = keepOne();

  return {
    wake: () => tell('wake'),
    async stop() {
      stopping.abort();
      tell('stop');
      await kept;
    },
  };
}

const exitOf = (thread: Worker): Promise<number> => new Promise((resolve) => thread.once('exit', resolve));
