/** The conditions that a purge checks before it deletes anything. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS_STREAM, type PurgePlan } from '@rdm/contracts';
import type { EventStore, Pool } from '@rdm/platform';
import { MaintenanceError } from '../errors.ts';
import { findUnansweredCommands, type PurgeTarget, runningJobs } from './tables.ts';

const POLL_MS = 1_000;
const READS_AT_ONCE = 16;

export interface RequirementOptions {
  pool: Pool;
  store: Pick<EventStore, 'read' | 'tail'>;
  target: PurgeTarget & { plan: Pick<PurgePlan, 'streams'> };
  purgeId: number;
  signal: AbortSignal;
  /** How long to wait for unanswered commands, running jobs and read models. */
  waitMs: number;
}

/**
 * Waits for commands, jobs and read models. Rejects with a `MaintenanceError`: NOT_READY after the timeout or if
 * another confirmation stopped the purge, and PLAN_CHANGED if a stream of the plan has changed since the dry run.
 */
export async function requireReady(options: RequirementOptions): Promise<void> {
  const until = performance.now() + options.waitMs;
  for (;;) {
    options.signal.throwIfAborted();
    const unfinishedWork = await findUnfinishedWork(options);
    if (unfinishedWork.length === 0) break;
    if (performance.now() >= until) {
      throw new MaintenanceError(
        'NOT_READY',
        `The purge waited too long for: ${unfinishedWork.join(', ')}. Resume the purge when the commands and jobs have ended and the read models are up to date.`,
      );
    }
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
  await requirePlannedHeads(options);
}

async function findUnfinishedWork({ pool, store, target, purgeId }: RequirementOptions): Promise<string[]> {
  const startedAt = await startOf(store, purgeId);
  const [commands, jobs, position] = await Promise.all([
    findUnansweredCommands(pool, target, startedAt),
    runningJobs(pool, target),
    headPosition(store, target.plan.streams),
  ]);
  const { rows } = await pool.query<{ isBehind: boolean }>(
    `SELECT r.commit_position::numeric < $1::numeric OR EXISTS (
              SELECT FROM platform.builds b WHERE b.serving AND (b.state <> 'SERVING' OR b.seq < r.seq)) AS "isBehind"
       FROM platform.reader r`,
    [String(position)],
  );
  return [
    ...commands.map((name) => `the command ${name}`),
    ...jobs.map((id) => `job ${id}`),
    ...(rows[0]?.isBehind === false ? [] : ['the read models']),
  ];
}

/**
 * Returns the time when the purge started. The purge waits for earlier commands, because an earlier command may have
 * read the state before the purge.
 */
async function startOf(store: Pick<EventStore, 'read'>, purgeId: number): Promise<string> {
  let startedAt: string | undefined;
  for await (const { type, data, metadata } of store.read(ACCESS_STREAM)) {
    if ((data as { purgeId?: number }).purgeId !== purgeId) continue;
    if (type === 'PurgeStarted') startedAt = metadata.occurredAt;
    if (type === 'PurgeEnded') startedAt = undefined;
  }
  if (startedAt === undefined)
    throw new MaintenanceError(
      'NOT_READY',
      'This purge cannot continue: another confirmation stopped the purge. Cancel this purge, and make a new dry run.',
    );
  return startedAt;
}

type Heads = PurgePlan['streams'];

/** Yields the last events of the streams, in the order of the streams. */
async function* tailsOf(store: Pick<EventStore, 'tail'>, streams: Heads) {
  for (let from = 0; from < streams.length; from += READS_AT_ONCE) {
    const part = streams.slice(from, from + READS_AT_ONCE);
    const tails = await Promise.all(part.map(({ stream }) => store.tail(stream)));
    for (const [index, planned] of part.entries()) yield { ...planned, tail: tails[index] };
  }
}

async function headPosition(store: Pick<EventStore, 'tail'>, streams: Heads): Promise<bigint> {
  let last = 0n;
  for await (const { tail } of tailsOf(store, streams)) if (tail && tail.position > last) last = tail.position;
  return last;
}

async function requirePlannedHeads({ store, target }: RequirementOptions): Promise<void> {
  const changed: string[] = [];
  for await (const { stream, revision, tail } of tailsOf(store, target.plan.streams)) {
    if (tail?.revision !== revision) changed.push(stream);
  }
  if (changed.length === 0) return;
  throw new MaintenanceError(
    'PLAN_CHANGED',
    `These streams have changed since the dry run: ${changed.slice(0, 20).join(', ')}. Cancel this purge, and make a new dry run.`,
  );
}
