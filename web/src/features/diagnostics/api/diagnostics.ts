/** Queries for diagnostics and the list of errors. */
import type { DiagnosticsView, ErrorView } from '@rdm/contracts/admin/diagnostics';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export const diagnosticsKey = ['diagnostics'];

/** Reads the data on every visit, because measurements become outdated quickly. */
const FRESH = { staleTime: 0, refetchOnWindowFocus: 'always' } as const;

export const diagnosticsQuery = queryOptions({
  queryKey: [...diagnosticsKey, 'parts'],
  queryFn: () => read<DiagnosticsView>('/api/diagnostics'),
  ...FRESH,
});

export const errorsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...diagnosticsKey, 'errors', params],
    queryFn: () => read<Page<ErrorView>>('/api/diagnostics/errors', { query: params }),
    placeholderData: keepPreviousData,
    ...FRESH,
  });
