/** Tests that work is refused or aborted if the disk has too little free space. */
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { type FreeSpace, withFreeSpace } from './free-space.ts';

const GIB = 1024 ** 3;
const space = (...free: number[]) => vi.fn<FreeSpace>(async () => ({ free: free.shift() ?? 0, size: 100 * GIB }));
const untilAborted = (signal: AbortSignal) => once(signal, 'abort').then(() => signal.throwIfAborted());

it('withFreeSpace does not begin work with too little space', async () => {
  const work = vi.fn<(signal: AbortSignal) => Promise<void>>();
  await expect(withFreeSpace('/data', undefined, work, space(4 * GIB))).rejects.toMatchObject({ code: 'DISK_SPACE' });
  expect(work).not.toHaveBeenCalled();
});

it('withFreeSpace aborts work when the space becomes too little', () =>
  expect(withFreeSpace('/data', undefined, untilAborted, space(6 * GIB, 4 * GIB))).rejects.toMatchObject({
    code: 'DISK_SPACE',
  }));

it('withFreeSpace aborts work with the abort reason of the caller', () => {
  const reason = new Error('stopped');
  const abort = new AbortController();
  const ended = withFreeSpace('/data', abort.signal, untilAborted, space(6 * GIB, 6 * GIB, 6 * GIB));
  setImmediate(() => abort.abort(reason));
  return expect(ended).rejects.toBe(reason);
});
