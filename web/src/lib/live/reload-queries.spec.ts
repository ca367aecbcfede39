/** Tests that queries show a change that arrives while they are read. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { oneReloadAtATime, reloadQueries } from './reload-queries.ts';

const KEY = ['codes', 1];

/** Observes a query; `answer` ends its oldest read in progress, with an answer from the time at which that read began. */
function observe(queries: QueryClient) {
  let stored = 'before the change';
  const reads: (() => void)[] = [];
  const queryFn = () => {
    const answer = stored;
    return new Promise<string>((resolve) => reads.push(() => resolve(answer)));
  };
  const stop = new QueryObserver(queries, { queryKey: KEY, queryFn }).subscribe(() => undefined);
  return {
    stop,
    change: () => {
      stored = 'after the change';
    },
    inProgress: () => reads.length,
    async answer() {
      await expect.poll(() => reads.length).toBeGreaterThan(0);
      reads.shift()?.();
    },
    /** Reloads the queries while a read from before the change is in progress; both reads are answered. */
    async reload() {
      const reloaded = reloadQueries(queries, ['codes']);
      await this.answer();
      await this.answer();
      await reloaded;
    },
  };
}

it('a change during the first read of a query is shown', async () => {
  const queries = new QueryClient();
  const observed = observe(queries);
  observed.change();
  await observed.reload();
  expect(queries.getQueryData(KEY)).toBe('after the change');
  observed.stop();
});

it('a change during a later read of a query is shown', async () => {
  const queries = new QueryClient();
  const observed = observe(queries);
  await observed.answer();
  await expect.poll(() => queries.getQueryData(KEY)).toBe('before the change');
  void queries.refetchQueries({ queryKey: KEY });
  observed.change();
  // The read from before the change is cancelled; only the later answer counts.
  await observed.reload();
  expect(queries.getQueryData(KEY)).toBe('after the change');
  observed.stop();
});

it('changes during a reload are shown by one reload after it, and cancel no read', async () => {
  const queries = new QueryClient();
  const observed = observe(queries);
  await observed.answer();
  await expect.poll(() => queries.getQueryData(KEY)).toBe('before the change');
  const reload = oneReloadAtATime(() => reloadQueries(queries, ['codes']));
  void reload();
  await expect.poll(() => observed.inProgress()).toBe(1);
  observed.change();
  const reloads = [reload(), reload(), reload()];
  expect(queries.getQueryState(KEY)?.dataUpdateCount).toBe(1);
  await observed.answer();
  await expect.poll(() => queries.getQueryState(KEY)?.dataUpdateCount).toBe(2);
  await observed.answer();
  await Promise.all(reloads);
  expect(queries.getQueryData(KEY)).toBe('after the change');
  expect([queries.getQueryState(KEY)?.dataUpdateCount, observed.inProgress()]).toEqual([3, 0]);
  observed.stop();
});

it('a failed reload does not prevent the next one', async () => {
  const results = [Promise.reject(new Error('The server is away')), Promise.resolve('done')];
  const reload = oneReloadAtATime(() => results.shift() ?? Promise.reject(new Error('unexpected')));
  await expect(reload()).rejects.toThrow('The server is away');
  expect(await reload()).toBe('done');
});
