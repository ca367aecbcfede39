/** Runs one piece of work after the other, in the order in which they were asked for. */

export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for its turn; answers what ends it. */
  async begin(): Promise<() => void> {
    const before = this.#last;
    let end: () => void = () => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }
}

export function inTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const turns = new Turns();
  return async (work) => {
    const end = await turns.begin();
    try {
      return await work();
    } finally {
      end();
    }
  };
}
