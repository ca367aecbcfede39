/** Tests reading a record again after a refused write. */
import { QueryClient } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { readAfterRefusal } from './read-after-refusal.ts';

it('does not use the response to a read that started before the refusal', async () => {
  const queries = new QueryClient();
  const reads: ((answer: string) => void)[] = [];
  const query = { queryKey: ['grants'], queryFn: () => new Promise<string>((resolve) => reads.push(resolve)) };
  const before = queries.fetchQuery(query).catch(() => 'cancelled');
  const after = readAfterRefusal(queries, query);
  expect(await before).toBe('cancelled');
  reads[0]?.('without the change');
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  reads[1]?.('with the change');
  expect(await after).toBe('with the change');
});
