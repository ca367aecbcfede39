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
  /** `lose` gets an answer that nobody is there for any more. */
  const live = async <T>(work: () => Promise<T>, lose: (answer: T) => void = () => undefined): Promise<T> => {
    if (dead) throw new Killed('killed');
    calls += 1;
    if (calls >= dyingAt) {
      dead = true;
      if (finishing) lose(await work());
      throw new Killed('killed');
    }
    const answer = await work();
    if (!dead) return answer;
    lose(answer);
    throw new Killed('killed');
  };
  const queryOf = (of: Pool | Client) =>
    ((...words: unknown[]) =>
      live(() => (of.query as (...given: unknown[]) => Promise<unknown>)(...words))) as Pool['query'];
  return {
    pool: {
      query: (...words: unknown[]) => (queryOf(pool) as (...given: unknown[]) => unknown)(...words),
      async connect() {
        // A process that dies takes its connections with it: the pool would wait for this one for ever.
        const client = await live(
          () => pool.connect(),
          (lost) => lost.release(true),
        );
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
