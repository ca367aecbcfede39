/** Reads the batches of all downloads one after the other, and slows them down while requests keep the event loop busy. */
import { performance } from 'node:perf_hooks';

/** A pause follows a read during which the event loop was busy for a larger part of the time than this (0 to 1). */
const BUSY_SHARE_MAX = 0.4;

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Reads a batch of rows when it is its turn. If the event loop was busy meanwhile (`BUSY_SHARE_MAX`), the next turn
 * begins only after a pause as long as the read, so that other requests are answered first: the reads of all downloads
 * together then take half of the time at most.
 */
export async function readAtPace<Result>(read: () => Promise<Result>): Promise<Result> {
  const previousTurn = lastTurn;
  let endTurn: () => void = () => undefined;
  lastTurn = new Promise((resolve) => {
    endTurn = resolve;
  });
  await previousTurn;
  const [begin, before] = [performance.now(), performance.eventLoopUtilization()];
  try {
    return await read();
  } finally {
    const { utilization } = performance.eventLoopUtilization(before);
    // Even a timer of 0 ms runs only after the caller has formatted and sent the rows.
    setTimeout(endTurn, utilization > BUSY_SHARE_MAX ? performance.now() - begin : 0);
  }
}
