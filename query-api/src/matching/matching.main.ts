/** Entry point of the matching thread: it reads with its own connections, and has the lowest priority. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createPool } from '@rdm/platform';
import type { DatabaseSettings } from '../read-models/pools.ts';
import { createMatching, type Question } from './matching.ts';

export type MatchingMessage = { id: number; question: Question };
export type MatchingReply = { id: number; answer: unknown } | { id: number; failure: string };

const STATEMENT_TIMEOUT_MS = 60_000;

try {
  // On Linux this sets the priority of only this thread; elsewhere it would set that of the whole process.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // Without the right to change it, the thread keeps the default priority.
}

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
