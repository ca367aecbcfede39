/** Batches concurrent lookups into queries that run one at a time. */

/**
 * Lookups that arrive while a query runs share the next query, so that no answer is older than its lookup. `query`
 * returns the answers in the order of the keys. If a query fails, all its lookups are rejected.
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

  const runQueries = async () => {
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
      if (!isQuerying) void runQueries();
    });
}
