/** Tests that queries show a change that arrives while they are read. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { reloadQueries } from './reload-queries.ts';

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
