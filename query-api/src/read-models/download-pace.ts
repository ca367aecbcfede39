/** Reads the batches of all downloads one after the other, and slows them down while requests keep the event loop busy. */
import { performance } from 'node:perf_hooks';

/** A pause follows a read if the event loop was busy for more than this share of the read (0 to 1). */
const BUSY_SHARE_MAX = 0.4;

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Reads a batch of rows after all earlier calls. If the event loop was busy meanwhile, a pause as long as the read
 * follows, so that downloads read for at most half of the time.
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
