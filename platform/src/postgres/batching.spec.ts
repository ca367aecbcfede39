/** Tests batched lookups: a query answers only lookups that arrived before the query began. */
import { describe, expect, it } from 'vitest';
import { batchLookups } from './batching.ts';

/** Collects the queries, so that a test can answer each of them. */
function collectQueries() {
  const queries: { keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const lookUp = batchLookups<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(keys.map((key) => `${key}!`));
        queries.push({ keys, answer, fail: reject });
      }),
  );
  return { lookUp, queries };
}
const waitOneTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('batched lookups', () => {
  it('wait for the running query, then share the next query', async () => {
    const { lookUp, queries } = collectQueries();
    const first = lookUp('a');
    const others = [lookUp('b'), lookUp('c')];
    expect(queries.map(({ keys }) => keys)).toEqual([['a']]);
    queries[0]?.answer();
    expect(await first).toBe('a!');
    await waitOneTurn();
    expect(queries[1]?.keys).toEqual(['b', 'c']);
    queries[1]?.answer();
    expect(await Promise.all(others)).toEqual(['b!', 'c!']);
  });
  it('fail only with their own query', async () => {
    const { lookUp, queries } = collectQueries();
    const first = lookUp('a');
    const second = lookUp('b');
    queries[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    queries[1]?.answer();
    expect(await second).toBe('b!');
  });
});
