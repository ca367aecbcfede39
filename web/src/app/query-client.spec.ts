/** Tests the removal of data that the server starts to refuse, and the defaults of queries (specification §7). */
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, NoLongerShared } from '../lib/api/index.ts';
import { reloadQueries } from '../lib/live/index.tsx';
import { queryClient } from './query-client.ts';

const queryKey = ['collections', 'one', 7];

const errorOf = (status: number, code: 'NOT_FOUND' | 'INTERNAL' | 'TOO_MANY_REQUESTS', retryAfter?: number) =>
  new ApiError('Refused', {
    status,
    statusText: '',
    code,
    details: undefined,
    requestId: undefined,
    retryAfter,
    serverMessage: 'Refused',
    raw: '',
  });
const refusal = () => errorOf(404, 'NOT_FOUND');

const read = vi.fn<() => Promise<string>>();
const refetch = () => queryClient.fetchQuery({ queryKey, queryFn: read, staleTime: 0, retry: false }).catch(() => null);
const state = () => queryClient.getQueryState(queryKey);

afterEach(() => {
  vi.useRealTimers();
  queryClient.clear();
  read.mockReset();
});

it('the query client removes data that the server starts to refuse, and reports NoLongerShared', async () => {
  read.mockResolvedValueOnce('Countries').mockRejectedValue(refusal());
  await refetch();
  expect(state()?.data).toBe('Countries');
  for (const _ of [1, 2, 3]) {
    await refetch();
    expect(state()?.data).toBeUndefined();
    expect(state()?.error).toBeInstanceOf(NoLongerShared);
  }
});

it('the query client does not report NoLongerShared for data that was never readable', async () => {
  read.mockRejectedValue(refusal());
  await refetch();
  expect(state()?.error).not.toBeInstanceOf(NoLongerShared);
});

it('the query client has the data again when the server stops refusing it', async () => {
  read.mockResolvedValueOnce('Countries').mockRejectedValueOnce(refusal()).mockResolvedValueOnce('Lands');
  await refetch();
  await refetch();
  await refetch();
  expect(state()).toMatchObject({ data: 'Lands', error: null });
});

describe('a query', () => {
  const query = () => queryClient.fetchQuery({ queryKey, queryFn: read });

  it('is repeated once after a failure of the server, and never after a refusal', async () => {
    vi.useFakeTimers();
    read.mockRejectedValue(errorOf(500, 'INTERNAL'));
    const failed = expect(query()).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(60_000);
    await failed;
    expect(read).toHaveBeenCalledTimes(2);
    queryClient.clear();
    read.mockReset().mockRejectedValue(refusal());
    await expect(query()).rejects.toThrow();
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('is repeated after the wait time of a rate limit while a page observes it', async () => {
    vi.useFakeTimers();
    read.mockRejectedValue(errorOf(429, 'TOO_MANY_REQUESTS', 16));
    const leave = new QueryObserver(queryClient, { queryKey, queryFn: read }).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(15_000);
    await reloadQueries(queryClient, queryKey);
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).toHaveBeenCalledTimes(2);
    leave();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is fresh for 15 seconds, and its data is kept for 5 minutes', async () => {
    vi.useFakeTimers();
    read.mockResolvedValue('Countries');
    await query();
    await vi.advanceTimersByTimeAsync(14_999);
    await query();
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    await query();
    expect(read).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(299_999);
    expect(state()?.data).toBe('Countries');
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBeUndefined();
  });
});
