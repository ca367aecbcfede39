/** The start page: what the server knows of the user, and the marks that the user sets. */
import type { ChangeHome, HomeView } from '@rdm/contracts/home/home';
import { queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';
import { homeKey } from './attention.ts';

export const homeQuery = queryOptions({
  queryKey: [...homeKey, 'view'],
  queryFn: () => read<HomeView>('/api/home'),
});

export const changeHome = (marks: ChangeHome) => write('PATCH', '/api/home', marks);
