/** Simulates a process that is killed: after a number of calls to its database and event store, all calls fail. */
import type { Client, EventStore, Pool } from '@rdm/platform';

export interface KillableProcess {
  pool: Pool;
  store: EventStore;
  readonly isKilled: boolean;
}

class Killed extends Error {}

/**
 * Returns a process that is killed at its n-th call. With `completesLastCall`, this call still takes effect, but gets
 * no answer. Calls of `store.read` are not counted, but fail after the kill.
 */
export function createKillableProcess(
  pool: Pool,
  store: EventStore,
  killedAtCall: number,
  completesLastCall: boolean,
): KillableProcess {
  let calls = 0;
  let isKilled = false;
  /** Runs a call; `discard` receives an answer that arrives after the kill. */
  const run = async <T>(work: () => Promise<T>, discard: (answer: T) => void = () => undefined): Promise<T> => {
    if (isKilled) throw new Killed('killed');
    calls += 1;
    if (calls >= killedAtCall) {
      isKilled = true;
      if (completesLastCall) discard(await work());
      throw new Killed('killed');
    }
    const answer = await work();
    if (!isKilled) return answer;
    discard(answer);
    throw new Killed('killed');
  };
  /** Starts a COPY and returns its stream. If this is the last call, the process is killed before it. */
  const startCopy = <Stream>(start: () => Stream): Stream => {
    calls += 1;
    if (calls >= killedAtCall) isKilled = true;
    if (isKilled) throw new Killed('killed');
    return start();
  };
  const queryOf = (target: Pool | Client) => {
    const query = target.query.bind(target) as (...args: unknown[]) => Promise<unknown>;
    return ((...args: unknown[]) =>
      typeof args[0] === 'object' && args[0] !== null && 'submit' in args[0]
        ? startCopy(() => query(...args))
        : run(() => query(...args))) as Pool['query'];
  };
  return {
    pool: {
      query: (...args: unknown[]) => (queryOf(pool) as (...args: unknown[]) => unknown)(...args),
      async connect() {
        // A killed process loses its connections: release this one, because the pool would wait for it forever.
        const client = await run(
          () => pool.connect(),
          (client) => client.release(true),
        );
        return { query: queryOf(client), release: (error?: Error) => client.release(error) };
      },
    } as unknown as Pool,
    store: {
      ...store,
      append: (...args) => run(() => store.append(...args)),
      tail: (stream) => run(() => store.tail(stream)),
      async *read(...args) {
        if (isKilled) throw new Killed('killed');
        yield* store.read(...args);
      },
    },
    get isKilled() {
      return isKilled;
    },
  };
}
