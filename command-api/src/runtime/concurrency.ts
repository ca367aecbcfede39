/**
 * Processes items concurrently. After a failure, no further item is started. Throws the first failure when all running
 * work has ended.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
) {
  const remaining = [...items];
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    for (let item = remaining.shift(); item !== undefined && !failure; item = remaining.shift()) {
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, remaining.length) }, worker));
  if (failure) throw failure.error;
}
