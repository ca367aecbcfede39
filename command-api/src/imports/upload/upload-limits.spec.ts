import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UploadPace } from './upload-limits.ts';

const PIECES_PER_MIB = 4;

/** Uploads a file as fast as the pace allows; returns the seconds that it takes. */
async function secondsFor(pace: UploadPace, uploaderId: number, mebibytes: number): Promise<number> {
  const begin = performance.now();
  let isComplete = false;
  const upload = (async () => {
    for (let piece = 0; piece < mebibytes * PIECES_PER_MIB; piece++) await pace.waitForTurn(uploaderId);
    isComplete = true;
  })();
  while (!isComplete) await vi.advanceTimersByTimeAsync(50);
  await upload;
  return (performance.now() - begin) / 1_000;
}

describe('the pace of uploads', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is about 40 MiB a second if no other user makes changes', async () => {
    const pace = new UploadPace(() => false);
    expect(await secondsFor(pace, 1, 400)).toBeCloseTo(10, 0);
  });

  it('is 2 MiB a second in total if other users make changes', async () => {
    const pace = new UploadPace(() => true);
    expect(await secondsFor(pace, 1, 20)).toBeCloseTo(10, 0);
    const both = [secondsFor(pace, 1, 10), secondsFor(pace, 2, 10)];
    for (const seconds of await Promise.all(both)) expect(seconds).toBeCloseTo(10, 0);
  });
});
