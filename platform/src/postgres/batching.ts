/** Batches concurrent lookups. Each is answered by a query that began after it. */

/**
 * Queries at once if no query runs, else when the running one ends, for all lookups that arrived meanwhile. So no answer is
 * older than its lookup, and many lookups cost little more than one.
 */
export function batchLookups<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  interface Waiting {
    question: Question;
    resolve: (answer: Answer) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let asking = false;

  const next = async () => {
    asking = true;
    while (waiting.length > 0) {
      const asked = waiting;
      waiting = [];
      try {
        const answers = await ask(asked.map(({ question }) => question));
        asked.forEach(({ resolve }, index) => {
          resolve(answers[index] as Answer);
        });
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    asking = false;
  };

  return (question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (!asking) void next();
    });
}
