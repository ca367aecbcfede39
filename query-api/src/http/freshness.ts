/** Waits a limited time until the read models contain the caller's own last write, or the events up to `asOf`. */
import { MIN_POSITION_WAIT_MS } from '@rdm/contracts';
import type { Builds, ServingBuild } from '../read-models/builds.ts';

/**
 * Waits until the serving builds of these projections reach the position, but at most `timeoutMs`. Does not wait for
 * detached builds, or for projections without a serving build.
 */
export const waitForPosition = (
  builds: Builds,
  names: Iterable<string>,
  position: bigint,
  timeoutMs = MIN_POSITION_WAIT_MS,
): Promise<void> => waitFor(builds, names, (build) => build.position >= position, timeoutMs);

/** Waits until the builds have projected a seq, but at most 500 ms, for reads with a recent `asOf`. */
export const waitForSeq = (builds: Builds, names: Iterable<string>, seq: number): Promise<void> =>
  waitFor(builds, names, (build) => build.seq >= seq, MIN_POSITION_WAIT_MS);

async function waitFor(
  builds: Builds,
  names: Iterable<string>,
  hasReached: (build: ServingBuild) => boolean,
  timeoutMs: number,
): Promise<void> {
  const wanted = [...names];
  const haveAllReached = () =>
    wanted.every((name) => {
      const build = builds.serving(name);
      return build === undefined || build.detached || hasReached(build);
    });
  if (haveAllReached()) return;
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(stop, timeoutMs);
    const unsubscribe = builds.watch(() => {
      if (haveAllReached()) stop();
    });
  });
}
