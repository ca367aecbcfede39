/** Questions that arrive together, answered together: each by a look that began after it was asked. */

/**
 * Asks at once when nothing is being asked, else as soon as that is answered, for everybody who came meanwhile. So no
 * answer is older than its question, and many questions cost little more than one.
 */
export function gathering<Question, Answer>(
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
