/** Batches concurrent lookups. Each lookup is answered by a query that began after the lookup. */

/**
 * Queries at once if no query runs. Otherwise waits for the end of the running query, and then queries once for all lookups that arrived
 * meanwhile. So no answer is older than its lookup, and many lookups cost little more than one.
 */
export function batchLookups<Key, Answer>(
  query: (keys: readonly Key[]) => Promise<readonly Answer[]>,
): (key: Key) => Promise<Answer> {
  interface Waiting {
    key: Key;
    resolve: (answer: Answer) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isQuerying = false;

  const next = async () => {
    isQuerying = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const answers = await query(batch.map(({ key }) => key));
        batch.forEach(({ resolve }, index) => {
          resolve(answers[index] as Answer);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isQuerying = false;
  };

  return (key) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!isQuerying) void next();
    });
}
