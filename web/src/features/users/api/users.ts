/** Queries and commands for users. */

import type {
  ChangeUser,
  CreatedUser,
  CreateUser,
  RoleView,
  UserDetails,
  UserView,
} from '@rdm/contracts/identity/identity';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/users';
const ROLES_MAX = 1_000;

export const usersKey = ['users'] as const;

export const usersQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...usersKey, 'list', params],
    queryFn: () => read<Page<UserView>>(PATH, { query: params }),
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: number) =>
  queryOptions({ queryKey: [...usersKey, 'one', id], queryFn: () => read<UserDetails>(`${PATH}/${id}`) });

/** The roles that a user can get. */
export const roleChoicesQuery = queryOptions({
  queryKey: ['roles', 'choices'],
  queryFn: async () =>
    (await read<Page<RoleView>>('/api/roles', { query: { pageSize: ROLES_MAX, sort: 'name' } })).items,
});

export const reloadUsers = (queries: QueryClient) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: usersKey }),
    // Reloads the names of users, which many pages display.
    queries.invalidateQueries({ queryKey: ['people'] }),
  ]);

export const createUser = (user: CreateUser) => write<Written & CreatedUser>('POST', PATH, user);

export const changeUser = (id: number, revision: number, change: ChangeUser) =>
  write<Written>('PATCH', `${PATH}/${id}`, change, { revision });

export type UserVerb =
  | 'deactivate'
  | 'reactivate'
  | 'unlock'
  | 'require-password-change'
  | 'end-sessions'
  | 'release-email';

export const changeUserState = (id: number, verb: UserVerb) => write('POST', `${PATH}/${id}/${verb}`);
