/** A process that can be killed: after so many calls of its database and its event store nothing answers it any more. */
import type { Client, EventStore, Pool } from '@rdm/platform';

export interface Mortal {
  pool: Pool;
  store: EventStore;
  readonly dead: boolean;
}

class Killed extends Error {}

/** Dies at its n-th call; `finishing` says whether that call is still carried out, its answer lost. */
export function mortal(pool: Pool, store: EventStore, dyingAt: number, finishing: boolean): Mortal {
  let calls = 0;
  let dead = false;
  const live = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw new Killed('killed');
    calls += 1;
    if (calls >= dyingAt) {
      dead = true;
      if (finishing) await work();
      throw new Killed('killed');
    }
    const answer = await work();
    if (dead) throw new Killed('killed');
    return answer;
  };
  const queryOf = (of: Pool | Client) =>
    ((...words: unknown[]) =>
      live(() => (of.query as (...given: unknown[]) => Promise<unknown>)(...words))) as Pool['query'];
  return {
    pool: {
      query: (...words: unknown[]) => (queryOf(pool) as (...given: unknown[]) => unknown)(...words),
      async connect() {
        const client = await live(() => pool.connect());
        return { query: queryOf(client), release: (error?: Error) => client.release(error) };
      },
    } as unknown as Pool,
    store: {
      ...store,
      append: (...words) => live(() => store.append(...words)),
      tail: (stream) => live(() => store.tail(stream)),
      async *read(...words) {
        if (dead) throw new Killed('killed');
        yield* store.read(...words);
      },
    },
    get dead() {
      return dead;
    },
  };
}
