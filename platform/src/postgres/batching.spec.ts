/** Batched lookups: none is answered by a query that began before it. */
import { describe, expect, it } from 'vitest';
import { batchLookups } from './batching.ts';

/** Queries that the spec answers, each with its keys. */
function byHand() {
  const queries: { keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const ask = batchLookups<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(keys.map((key) => `${key}!`));
        queries.push({ keys, answer, fail: reject });
      }),
  );
  return { ask, queries };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('batched lookups', () => {
  it('query at once, and together while another query runs', async () => {
    const { ask, queries } = byHand();
    const first = ask('a');
    const others = [ask('b'), ask('c')];
    expect(queries.map(({ keys }) => keys)).toEqual([['a']]);
    queries[0]?.answer();
    expect(await first).toBe('a!');
    await turn();
    expect(queries[1]?.keys).toEqual(['b', 'c']);
    queries[1]?.answer();
    expect(await Promise.all(others)).toEqual(['b!', 'c!']);
  });
  it('fail only with their own query; later ones still run', async () => {
    const { ask, queries } = byHand();
    const first = ask('a');
    const second = ask('b');
    queries[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    queries[1]?.answer();
    expect(await second).toBe('b!');
  });
});
