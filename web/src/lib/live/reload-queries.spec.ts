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
  };
}

it('a change during the first read of a query is shown', async () => {
  const queries = new QueryClient();
  const { stop, change, answer } = observe(queries);
  change();
  const reloaded = reloadQueries(queries, ['codes']);
  await answer();
  await answer();
  await reloaded;
  expect(queries.getQueryData(KEY)).toBe('after the change');
  stop();
});

it('a change during a later read of a query is shown', async () => {
  const queries = new QueryClient();
  const { stop, change, answer } = observe(queries);
  await answer();
  await expect.poll(() => queries.getQueryData(KEY)).toBe('before the change');
  void queries.refetchQueries({ queryKey: KEY });
  change();
  const reloaded = reloadQueries(queries, ['codes']);
  // The read from before the change is cancelled; only the later answer counts.
  await answer();
  await answer();
  await reloaded;
  expect(queries.getQueryData(KEY)).toBe('after the change');
  stop();
});
