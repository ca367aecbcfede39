/** Runs one piece of work after the other, in the order in which they were asked for. */

export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits for its turn; answers what ends it. */
  async acquire(): Promise<() => void> {
    const before = this.#last;
    let release: () => void = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  }
}

export function createSerialRunner(): <T>(work: () => Promise<T>) => Promise<T> {
  const mutex = new Mutex();
  return async (work) => {
    const end = await mutex.acquire();
    try {
      return await work();
    } finally {
      end();
    }
  };
}
