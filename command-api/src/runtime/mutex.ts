/** A first-in, first-out mutex. */

export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits for the lock; returns the function that releases it. */
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
    const release = await mutex.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };
}
