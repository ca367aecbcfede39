/** Questions gathered: none is answered by a look that began before it. */
import { describe, expect, it } from 'vitest';
import { gathering } from './batching.ts';

/** Looks that are answered by hand, each with what was asked. */
function byHand() {
  const looks: { asked: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const ask = gathering<string, string>(
    (asked) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(asked.map((question) => `${question}!`));
        looks.push({ asked, answer, fail: reject });
      }),
  );
  return { ask, looks };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('gathered questions', () => {
  it('are asked at once, and together while another look is under way', async () => {
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
  it('fail alone with their look; the next ones are asked', async () => {
    const { ask, looks } = byHand();
    const first = ask('a');
    const second = ask('b');
    looks[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    looks[1]?.answer();
    expect(await second).toBe('b!');
  });
});
