/** Entry point of the matching thread, which has its own database connections and, on Linux, the lowest priority. */
import { parentPort, workerData } from 'node:worker_threads';
import { createPool, lowerThreadPriority } from '@rdm/platform';
import type { DatabaseSettings } from '../read-models/pools.ts';
import { createMatching, type Question } from './matching.ts';

export type MatchingMessage = { id: number; question: Question };
export type MatchingReply = { id: number; answer: unknown } | { id: number; failure: string };

const STATEMENT_TIMEOUT_MS = 60_000;

lowerThreadPriority();

const { DATABASE_URL, DATABASE_EMBEDDED } = workerData as DatabaseSettings;
const pool = createPool(DATABASE_URL, {
  max: 2,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  name: 'query-api-matching',
  settings: '-c max_parallel_workers_per_gather=0',
  isLowPriority: DATABASE_EMBEDDED,
});
const matching = createMatching(async (statement) => (await pool.query(statement)).rows);

parentPort?.on('message', async ({ id, question }: MatchingMessage) => {
  const reply = await matching.answer(question).then(
    (answer): MatchingReply => ({ id, answer }),
    (error: unknown): MatchingReply => ({ id, failure: error instanceof Error ? error.message : String(error) }),
  );
  parentPort?.postMessage(reply);
});
