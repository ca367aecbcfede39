/** What waits for somebody: numbers of the start page, each asked for only where its page may be opened. */
import type { ApprovalStatistics } from '@rdm/contracts/approvals';
import type { Page, Total } from '@rdm/contracts/filter';
import { queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';

export const homeKey = ['home'] as const;

export const approvalsQuery = queryOptions({
  queryKey: [...homeKey, 'approvals'],
  queryFn: () => read<ApprovalStatistics>('/api/approvals/statistics'),
});

export const missingQuery = queryOptions({
  queryKey: [...homeKey, 'missing'],
  queryFn: async (): Promise<Total> =>
    (await read<Page<unknown>>('/api/missing-mappings', { query: { page: 1, pageSize: 1 } })).total,
});

export const jobsQuery = queryOptions({
  queryKey: [...homeKey, 'jobs'],
  queryFn: async () => (await read<{ jobs: Record<string, number> }>('/api/monitor')).jobs,
});
