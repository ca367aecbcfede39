/** Tests displayed data that the server refuses from now on. */
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError, NoLongerShared } from '../lib/api/index.ts';
import { queryClient } from './query-client.ts';

const queryKey = ['collections', 'one', 7];

const refusal = () =>
  new ApiError('Not found', {
    status: 404,
    statusText: '',
    code: 'NOT_FOUND',
    details: undefined,
    requestId: undefined,
    serverMessage: 'Not found',
    raw: '',
  });

const read = vi.fn<() => Promise<string>>();
const refetch = () => queryClient.fetchQuery({ queryKey, queryFn: read, staleTime: 0, retry: false }).catch(() => null);
const state = () => queryClient.getQueryState(queryKey);

afterEach(() => {
  queryClient.clear();
  read.mockReset();
});

it('removes refused data and shows the error, however often it is read again', async () => {
  read.mockResolvedValueOnce('Countries').mockRejectedValue(refusal());
  await refetch();
  expect(state()?.data).toBe('Countries');
  for (const _ of [1, 2, 3]) {
    await refetch();
    expect(state()?.data).toBeUndefined();
    expect(state()?.error).toBeInstanceOf(NoLongerShared);
  }
});

it('distinguishes data that was never readable from data that no longer is', async () => {
  read.mockRejectedValue(refusal());
  await refetch();
  expect(state()?.error).not.toBeInstanceOf(NoLongerShared);
});

it('shows the data again once it is shared again', async () => {
  read.mockResolvedValueOnce('Countries').mockRejectedValueOnce(refusal()).mockResolvedValueOnce('Lands');
  await refetch();
  await refetch();
  await refetch();
  expect(state()).toMatchObject({ data: 'Lands', error: null });
});
