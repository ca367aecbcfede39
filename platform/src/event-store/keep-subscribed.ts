/** Keeps a subscription to the event store: subscribes again whenever it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../service/log.ts';
import { describeStoreProblem } from './event-store-problem.ts';

const PAUSE_MS = { first: 50, longest: 2_000 };

interface KeepOptions {
  signal: AbortSignal;
  log: Log;
  /** What the subscription reads, for log messages. */
  to: string;
  /** Whether `keepSubscribed` throws the error instead of subscribing again. */
  isFinal?: (error: unknown) => boolean;
  /** Pauses after a failure; `failures` is the number of consecutive failures before this one. */
  pauseBy?: typeof pause;
}

/**
 * Runs `subscribe` again and again until the signal aborts, `subscribe` returns `done`, or it throws a final error.
 * `subscribe` calls `progressed` for each event that it has handled. After progress, the next run begins at once: a
 * server can end a live subscription that is 32 events behind. Without progress, the next run begins after a pause,
 * which grows up to two seconds.
 */
export async function keepSubscribed(
  subscribe: (progressed: () => void) => Promise<'done' | undefined>,
  { signal, log, to, isFinal = () => false, pauseBy = pause }: KeepOptions,
): Promise<void> {
  /** The last logged warning. The same warning is not logged again. */
  let warned: string | undefined;
  for (let failures = 0; !signal.aborted; ) {
    let hasProgressed = false;
    let cause: unknown;
    try {
      if ((await subscribe(() => (hasProgressed = true))) === 'done') return;
    } catch (error) {
      if (isFinal(error)) throw error;
      cause = error;
    }
    if (signal.aborted) return;
    if (hasProgressed) {
      failures = 0;
      warned = undefined;
      log.info({ err: cause }, `The subscription to ${to} ended: subscribing again`);
    } else {
      const described = describeStoreProblem(cause) ?? String(cause ?? 'It ended before it delivered anything');
      if (described !== warned) log.warn({ err: cause }, `No subscription to ${to}: trying again. ${described}`);
      warned = described;
      await pauseBy(failures, signal);
      failures += 1;
    }
  }
}

/** Waits longer with each failure; an abort of the signal ends the wait. */
export async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(PAUSE_MS.first * 2 ** failures, PAUSE_MS.longest);
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
