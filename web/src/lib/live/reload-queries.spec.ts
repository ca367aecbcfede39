/** Tests that queries show a change that arrives while they are read. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { reloadQueries, reloadWithoutCancelling } from './reload-queries.ts';

const KEY = ['codes', 1];

/** Observes a query. `answer` ends the oldest unanswered read with the data from the start of that read. */
function observe(queries: QueryClient, queryKey = KEY) {
  let stored = 'before the change';
  const reads: (() => void)[] = [];
  const queryFn = () => {
    const data = stored;
    return new Promise<string>((resolve) => reads.push(() => resolve(data)));
  };
  const stop = new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  return {
    stop,
    change: () => {
      stored = 'after the change';
    },
    unansweredReads: () => reads.length,
    async answer() {
      await expect.poll(() => reads.length).toBeGreaterThan(0);
      reads.shift()?.();
    },
    /** Reloads the queries while a read from before the change is in progress, and answers both reads. */
    async reload() {
      const reloaded = reloadQueries(queries, ['codes']);
      await this.answer();
      await this.answer();
      await reloaded;
    },
  };
}

it('a query shows a change that is made during its first read', async () => {
  const queries = new QueryClient();
  const observed = observe(queries);
  observed.change();
  await observed.reload();
  expect(queries.getQueryData(KEY)).toBe('after the change');
  observed.stop();
});

it('a query shows a change that is made during a later read', async () => {
  const queries = new QueryClient();
  const observed = observe(queries);
  await observed.answer();
  await expect.poll(() => queries.getQueryData(KEY)).toBe('before the change');
  void queries.refetchQueries({ queryKey: KEY });
  observed.change();
  // The read from before the change is cancelled, so that only the later answer counts.
  await observed.reload();
  expect(queries.getQueryData(KEY)).toBe('after the change');
  observed.stop();
});

it('a query is read once more after several changes during a read, and no read is cancelled', async () => {
  const queries = new QueryClient();
  const observed = observe(queries);
  await observed.answer();
  const dataUpdates = () => queries.getQueryState(KEY)?.dataUpdateCount;
  await expect.poll(dataUpdates).toBe(1);
  const reloads = [reloadWithoutCancelling(queries, ['codes'])];
  await expect.poll(() => observed.unansweredReads()).toBe(1);
  observed.change();
  for (let changes = 0; changes < 3; changes += 1) reloads.push(reloadWithoutCancelling(queries, ['codes']));
  await observed.answer();
  await expect.poll(dataUpdates).toBe(2);
  await observed.answer();
  await Promise.all(reloads);
  expect(queries.getQueryData(KEY)).toBe('after the change');
  expect([dataUpdates(), observed.unansweredReads()]).toEqual([3, 0]);
  observed.stop();
});

it('a slow query does not delay another query', async () => {
  const queries = new QueryClient();
  const [slow, fast] = [observe(queries), observe(queries, ['codes', 2])];
  await slow.answer();
  await fast.answer();
  await expect.poll(() => queries.isFetching()).toBe(0);
  for (const query of [slow, fast]) query.change();
  const reloaded = reloadWithoutCancelling(queries, ['codes']);
  await fast.answer();
  await expect.poll(() => queries.getQueryData(['codes', 2])).toBe('after the change');
  void reloadWithoutCancelling(queries, ['codes']);
  await expect.poll(() => fast.unansweredReads()).toBe(1);
  expect(slow.unansweredReads()).toBe(1);
  await slow.answer();
  await reloaded;
  expect(queries.getQueryData(KEY)).toBe('after the change');
  for (const query of [slow, fast]) query.stop();
});
