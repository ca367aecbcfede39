/** Queries and the command of the start page. */
import type { ChangeHome, HomeChange, HomeView } from '@rdm/contracts/home/home';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';
import { homeKey } from './attention.ts';

export const homeQuery = queryOptions({
  queryKey: [...homeKey, 'view'],
  queryFn: () => read<HomeView>('/api/home'),
});

export const changesQuery = (pageSize: number) =>
  queryOptions({
    queryKey: [...homeKey, 'changes', pageSize],
    queryFn: () => read<Page<HomeChange>>('/api/home/changes', { query: { pageSize } }),
    placeholderData: keepPreviousData,
  });

export const changeHome = (marks: ChangeHome) => write('PATCH', '/api/home', marks);
