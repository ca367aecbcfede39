/** Tests how long the queue of regular expressions refuses a user whose searches were cancelled. */
import { describe, expect, it, vi } from 'vitest';
import { openRegexTurns } from '../regex-turns.ts';

const [ANNA, BEN] = [1, 2];

describe('turns of regular expressions', () => {
  it('refuse a user four times as long after each further cancelled search', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    try {
      const turns = openRegexTurns(1);
      const cancelled = Object.assign(new Error('canceling statement'), { code: '57014' });
      const cancelOne = () =>
        expect(turns.run(ANNA, () => Promise.reject(cancelled))).rejects.toThrow('This takes too long');
      const expectRefusal = async (seconds: number) => {
        const search = expect(turns.run(ANNA, async () => 'found')).rejects.toMatchObject({
          code: 'TOO_MANY_REQUESTS',
          message: expect.stringContaining(`Try again in ${seconds} seconds`),
          retryAfter: seconds,
        });
        await vi.advanceTimersByTimeAsync(1_000);
        await search;
      };
      await cancelOne();
      await cancelOne();
      await expectRefusal(4);
      expect(await turns.run(BEN, async () => 'found')).toBe('found');
      vi.advanceTimersByTime(3_000);
      await cancelOne();
      await expectRefusal(16);
      vi.advanceTimersByTime(15_000);
      await cancelOne();
      await expectRefusal(64);
      vi.advanceTimersByTime(63_000);
      // A search that ends in time resets the count.
      expect(await turns.run(ANNA, async () => 'found')).toBe('found');
      await cancelOne();
      await cancelOne();
      await expectRefusal(4);
    } finally {
      vi.useRealTimers();
    }
  });
});
