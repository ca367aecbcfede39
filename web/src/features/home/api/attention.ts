/** Queries for the section “Needs attention” of the start page, and the links of the section. */
import type { BackupsView } from '@rdm/contracts/admin/backups';
import type { ApprovalStatistics } from '@rdm/contracts/approvals/approvals';
import type { Page, Total } from '@rdm/contracts/lists/filter';
import { queryOptions } from '@tanstack/react-query';
import { read, urlOf } from '../../../lib/api/index.ts';

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

const equalsFilter = (field: string, value: unknown = true) =>
  JSON.stringify({ logic: 'AND', conditions: [{ field, operator: 'equals', value }] });

/** The link to the user's pending submissions. */
export const OWN_WAITING = urlOf('/approvals', { tab: 'submitted', filter: equalsFilter('status', 'PENDING') });

/** The filter for the user's rejected submissions that are not corrected yet. */
const RETURNED = equalsFilter('isReturned');
export const RETURNED_ITEMS = urlOf('/approvals', { tab: 'submitted', filter: RETURNED });

export const returnedQuery = queryOptions({
  queryKey: [...homeKey, 'returned'],
  queryFn: async (): Promise<Total> =>
    (
      await read<Page<unknown>>('/api/approvals', {
        query: { tab: 'submitted', page: 1, pageSize: 1, filter: RETURNED },
      })
    ).total,
});

const EXPIRING = equalsFilter('expiresSoon');
export const EXPIRING_KEYS = urlOf('/api-keys', { filter: EXPIRING });

export const expiringKeysQuery = queryOptions({
  queryKey: [...homeKey, 'api-keys'],
  queryFn: async (): Promise<Total> =>
    (await read<Page<unknown>>('/api/api-keys', { query: { page: 1, pageSize: 1, filter: EXPIRING } })).total,
});

export const overdueBackupQuery = queryOptions({
  queryKey: [...homeKey, 'backups'],
  queryFn: async () => (await read<BackupsView>('/api/backups')).overdue,
});

export const jobsQuery = queryOptions({
  queryKey: [...homeKey, 'jobs'],
  queryFn: async () => (await read<{ jobs: Record<string, number> }>('/api/monitor')).jobs,
});
