/**
 * Runs matching in a worker thread with limited memory. The first question starts the thread; after a failure, the next
 * question starts it again.
 */
import { Worker } from 'node:worker_threads';
import { Refusal } from '@rdm/contracts';
import { type Log, programUrl } from '@rdm/platform';
import type { DatabaseSettings } from '../read-models/pools.ts';
import type { MatchingReply } from './matching.main.ts';
import type { Matching, Question } from './matching.ts';

/** Memory limits of the thread. Two sides of 100,000 rows with long labels take half of this memory (measured). */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };
/** Maximum number of questions that wait for an answer; further requests get 429. */
const WAITING_MAX = 100;

interface PendingQuestion {
  resolve: (answer: never) => void;
  reject: (error: unknown) => void;
}

export function openMatching({ settings, log }: { settings: DatabaseSettings; log: Log }): Matching {
  const waiting = new Map<number, PendingQuestion>();
  let thread: Worker | undefined;
  let lastId = 0;

  const onExit = (worker: Worker, error: unknown) => {
    if (thread !== worker) return;
    thread = undefined;
    log.warn({ err: error }, 'The thread that finds suggestions ended: it starts again with the next request');
    for (const { reject } of waiting.values()) {
      reject(new Refusal('UNAVAILABLE', 'Suggestions are being prepared again. Please try again.', undefined, 2));
    }
    waiting.clear();
  };

  const start = (): Worker => {
    const { DATABASE_URL, DATABASE_EMBEDDED } = settings;
    const workerData: DatabaseSettings = { DATABASE_URL, DATABASE_EMBEDDED };
    const worker = new Worker(programUrl('query-api/dist/matching/matching.main.js'), {
      workerData,
      resourceLimits: LIMITS,
    });
    worker.on('message', (reply: MatchingReply) => {
      const waiter = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('answer' in reply) waiter?.resolve(reply.answer as never);
      else waiter?.reject(new Error(`Suggestions could not be found: ${reply.failure}`));
    });
    worker.once('error', (error) => onExit(worker, error));
    worker.once('exit', (code) => onExit(worker, new Error(`Ended with ${code}`)));
    return worker;
  };

  return {
    answer: (question: Question) => {
      if (waiting.size >= WAITING_MAX) {
        throw new Refusal(
          'TOO_MANY_REQUESTS',
          'Too many requests for suggestions are waiting. Please try again.',
          undefined,
          2,
        );
      }
      thread ??= start();
      const id = ++lastId;
      const answered = new Promise<never>((resolve, reject) => waiting.set(id, { resolve, reject }));
      thread.postMessage({ id, question });
      return answered;
    },
    async close() {
      const worker = thread;
      thread = undefined;
      await worker?.terminate();
    },
  };
}
