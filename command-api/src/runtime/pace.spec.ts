/** Specifies how far a command over many rows runs ahead of the read models, and that it never waits forever. */
import { describe, expect, it } from 'vitest';
import { openPacedRun, settles } from './testing/paced-run.ts';

describe('a command over many rows', () => {
  it('does not query the projected position within the limit', async () => {
    const { append, queries } = openPacedRun();
    await Promise.all([append(2_000), append(2_000), append(2_000)]);
    expect(queries()).toBe(0);
  });

  it('waits for the read models before it runs further ahead than the limit', async () => {
    const { append, end, projectedUpTo } = openPacedRun();
    for (let piece = 0; piece < 3; piece++) await append(2_000);
    const waiting = append(2_000);
    expect(await settles(waiting)).toBe(false);
    expect(end()).toBe(3n);
    projectedUpTo(1n);
    expect(await settles(waiting)).toBe(true);
    expect(end()).toBe(4n);
  });

  it('appends no more rows concurrently than the limit', async () => {
    const { append, end, projectedUpTo } = openPacedRun();
    await append(6_000);
    const waiting = Promise.all(Array.from({ length: 8 }, () => append(2_000)));
    expect(await settles(waiting)).toBe(false);
    projectedUpTo(1n);
    expect(await settles(waiting)).toBe(false);
    expect(end()).toBe(4n);
    projectedUpTo(4n);
    expect(await settles(waiting)).toBe(false);
    expect(end()).toBe(7n);
    projectedUpTo(7n);
    expect(await settles(waiting)).toBe(true);
  });

  it('appends one piece at a time when each is larger than the limit', async () => {
    const { append, end, projectedUpTo } = openPacedRun();
    await append(10_000);
    const next = append(10_000);
    expect(await settles(next)).toBe(false);
    projectedUpTo(1n);
    expect(await settles(next)).toBe(true);
    expect(end()).toBe(2n);
  });

  it('stays close to the read models while other users make changes', async () => {
    const { append, runOtherCommand, projectedUpTo } = openPacedRun();
    await append(400);
    await runOtherCommand();
    const waiting = append(400);
    expect(await settles(waiting)).toBe(false);
    projectedUpTo(1n);
    expect(await settles(waiting)).toBe(true);
  });

  it('detects changes by other users, but not changes by the user of the command', async () => {
    const { pace, runOtherCommand } = openPacedRun();
    expect(pace.hasOtherActivity(1)).toBe(false);
    await runOtherCommand();
    expect(pace.hasOtherActivity(1)).toBe(true);
    expect(pace.hasOtherActivity(2)).toBe(false);
  });

  it('applies a given limit even while other users make changes', async () => {
    const { append, runOtherCommand, projectedUpTo } = openPacedRun(undefined, 20_000);
    await append(10_000);
    await runOtherCommand();
    expect(await settles(append(10_000))).toBe(true);
    const waiting = append(1);
    expect(await settles(waiting)).toBe(false);
    projectedUpTo(1n);
    expect(await settles(waiting)).toBe(true);
  });

  it('does not lower the limit for later appends when it ends', async () => {
    const { append, recordEnd } = openPacedRun();
    await append(2_000);
    recordEnd();
    expect(await settles(append(2_000))).toBe(true);
  });

  it('does not count rows that were refused before anything was appended', async () => {
    const { append } = openPacedRun();
    await append(6_000, true);
    expect(await settles(append(6_000))).toBe(true);
  });

  it('does not wait again for read models that make no progress', async () => {
    const { append, queries } = openPacedRun();
    await append(6_000);
    await append(6_000);
    const before = queries();
    await append(6_000);
    expect(queries()).toBe(before);
  });

  it('continues when the projected position cannot be read', async () => {
    const { append } = openPacedRun(() => Promise.reject(new Error('The database is unavailable')));
    await append(6_000);
    expect(await settles(append(6_000))).toBe(true);
  });
});
