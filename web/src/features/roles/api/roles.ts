/** Queries and commands for roles. */

import type { RoleView } from '@rdm/contracts/identity/identity';
import type { ChangeRole, CreateRole } from '@rdm/contracts/identity/roles';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/roles';

export const rolesKey = ['roles'] as const;

export const rolesQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...rolesKey, 'list', params],
    queryFn: () => read<Page<RoleView>>(PATH, { query: params }),
    placeholderData: keepPreviousData,
  });

/** Reloads roles and users, because the list of users shows roles by name. */
export const reloadRoles = (queries: QueryClient) =>
  Promise.all([queries.invalidateQueries({ queryKey: rolesKey }), queries.invalidateQueries({ queryKey: ['users'] })]);

export const createRole = (role: CreateRole) => write<Written & { id: number }>('POST', PATH, role);

export const changeRole = (id: number, revision: number, change: ChangeRole) =>
  write<Written>('PATCH', `${PATH}/${id}`, change, { revision });

export const deleteRole = (id: number, revision: number) => write('DELETE', `${PATH}/${id}`, undefined, { revision });
