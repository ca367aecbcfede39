/** Works on many things, a few at once; the first failure stops the rest and is thrown when all have stopped. */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
) {
  const waiting = [...items];
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    for (let thing = waiting.shift(); thing !== undefined && !failure; thing = waiting.shift()) {
      try {
        await work(thing);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, worker));
  if (failure) throw failure.error;
}
