/** Specifies batched lookups: no lookup is answered by a query that began before the lookup. */
import { describe, expect, it } from 'vitest';
import { batchLookups } from './batching.ts';

/** Collects the queries with their keys; the spec answers them. */
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
  it('are queried immediately if no query runs, and otherwise together after the running query', async () => {
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
  it('fail only with their own query; later queries still run', async () => {
    const { lookUp, queries } = collectQueries();
    const first = lookUp('a');
    const second = lookUp('b');
    queries[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    queries[1]?.answer();
    expect(await second).toBe('b!');
  });
});
