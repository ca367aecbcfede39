/** Queries for failed sign-ins. */

import type { LoginAttemptView } from '@rdm/contracts/identity/identity';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export const failedSignInsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: ['audit', 'failed-sign-ins', params],
    queryFn: () => read<Page<LoginAttemptView>>('/api/login-attempts', { query: { ...params, success: 'false' } }),
    placeholderData: keepPreviousData,
  });
