/** Reproducible random numbers: SEED in the environment repeats a run. */

/** Prints and returns the seed of a suite: SEED if it is set, a new seed in a run with FAULTS=long, otherwise 1. */
export function announcedSeed(suite: string): number {
  const seed = Number(process.env['SEED'] ?? (process.env['FAULTS'] === 'long' ? Date.now() % 1_000_000 : 1));
  console.info(`${suite}: SEED=${seed}`);
  return seed;
}

/** Returns a generator of numbers from 0 up to but not including 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
