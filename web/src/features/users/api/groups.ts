/** Queries and commands for groups and their members. */

import type { GroupMember, GroupView } from '@rdm/contracts/identity/identity';
import type { ChangeGroup, CreateGroup } from '@rdm/contracts/identity/roles';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, read, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { usersKey } from './users.ts';

const PATH = '/api/groups';
const GROUPS_MAX = 1_000;

export const groupsKey = ['groups'] as const;

export const groupsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...groupsKey, 'list', params],
    queryFn: () => read<Page<GroupView>>(PATH, { query: params }),
    placeholderData: keepPreviousData,
  });

export const groupChoicesQuery = queryOptions({
  queryKey: [...groupsKey, 'choices'],
  queryFn: async () => (await read<Page<GroupView>>(PATH, { query: { pageSize: GROUPS_MAX, sort: 'name' } })).items,
});

type Members = Page<GroupMember> & { revision: number };

const readMembers = (id: number) => read<Members>(`${PATH}/${id}/members`, { fresh: true });

export const membersQuery = (id: number) =>
  queryOptions({ queryKey: [...groupsKey, 'members', id], queryFn: () => readMembers(id) });

export const reloadGroups = (queries: QueryClient) =>
  Promise.all([queries.invalidateQueries({ queryKey: groupsKey }), queries.invalidateQueries({ queryKey: usersKey })]);

export const createGroup = (group: CreateGroup) => write<Written & { id: number }>('POST', PATH, group);

export const changeGroup = (id: number, revision: number, change: ChangeGroup) =>
  write<Written>('PATCH', `${PATH}/${id}`, change, { revision });

export const deleteGroup = (id: number, revision: number) => write('DELETE', `${PATH}/${id}`, undefined, { revision });

/**
 * Adds and removes members of the current list. Starts again after a change by another user, so that no change is
 * overwritten.
 */
export async function changeMembers(id: number, added: readonly number[], removed: readonly number[]): Promise<void> {
  for (;;) {
    const { items, revision } = await readMembers(id);
    const userIds = new Set(items.map(({ userId }) => userId));
    for (const userId of added) userIds.add(userId);
    for (const userId of removed) userIds.delete(userId);
    try {
      await write('PUT', `${PATH}/${id}/members`, { userIds: [...userIds] }, { revision });
      return;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'STALE')) throw error;
    }
  }
}
