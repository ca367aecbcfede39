/** Slows down downloads while requests keep the event loop busy. */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** The part of the time, between 0 and 1, in which the event loop may be busy while a batch of rows is read. */
const BUSY = 0.4;

/** Reads a batch of rows. If the event loop was busy meanwhile, waits as long again, so that other requests are answered first. */
export async function readAtPace<Result>(read: () => Promise<Result>): Promise<Result> {
  const [begin, before] = [performance.now(), performance.eventLoopUtilization()];
  const result = await read();
  const { utilization } = performance.eventLoopUtilization(before);
  if (utilization > BUSY) await pause(performance.now() - begin);
  return result;
}
