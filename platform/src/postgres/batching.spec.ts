/** Batched lookups: none is answered by a query that began before it. */
import { describe, expect, it } from 'vitest';
import { batchLookups } from './batching.ts';

/** Queries that the spec answers, each with its keys. */
function byHand() {
  const looks: { asked: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const ask = batchLookups<string, string>(
    (asked) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(asked.map((question) => `${question}!`));
        looks.push({ asked, answer, fail: reject });
      }),
  );
  return { ask, looks };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('batched lookups', () => {
  it('query at once, and together while another query runs', async () => {
    const { ask, looks } = byHand();
    const first = ask('a');
    const others = [ask('b'), ask('c')];
    expect(looks.map(({ asked }) => asked)).toEqual([['a']]);
    looks[0]?.answer();
    expect(await first).toBe('a!');
    await turn();
    expect(looks[1]?.asked).toEqual(['b', 'c']);
    looks[1]?.answer();
    expect(await Promise.all(others)).toEqual(['b!', 'c!']);
  });
  it('fail only with their own query; later ones still run', async () => {
    const { ask, looks } = byHand();
    const first = ask('a');
    const second = ask('b');
    looks[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    looks[1]?.answer();
    expect(await second).toBe('b!');
  });
});
