/** Specifies that a command over many rows waits as long as the read models make progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openPacedRun, settles } from '../testing/paced-run.ts';

describe('a command over many rows', () => {
  it('keeps waiting as long as the read models make progress on its rows', async () => {
    const { append, end, projectedUpTo } = openPacedRun();
    await append(6_000);
    const waiting = Promise.all([append(6_000), append(6_000), append(6_000), append(6_000)]);
    for (let reached = 1n; reached <= 4n; reached++) {
      await sleep(800);
      expect(end()).toBe(reached);
      projectedUpTo(reached);
    }
    expect(await settles(waiting)).toBe(true);
  });
});
