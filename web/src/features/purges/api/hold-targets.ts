/** Searches the data sets, collections and users that a legal hold can cover. */
import type { HoldScope } from '@rdm/contracts/access/access';
import type { CollectionView } from '@rdm/contracts/collections/collections';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { UserView } from '@rdm/contracts/identity/identity';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';

const TARGETS_MAX = 20;

export interface HoldTarget {
  id: number;
  name: string;
  detail: string | undefined;
}

type Targets = Record<Exclude<HoldScope['kind'], 'all'>, (q: string) => Promise<HoldTarget[]>>;

const list = async <Row>(path: string, query: Record<string, string | number>): Promise<Row[]> =>
  (await read<Page<Row>>(path, { query: { pageSize: TARGETS_MAX, ...query } })).items;

const TARGETS: Targets = {
  dataSet: async (q) =>
    (await list<DataSetView>('/api/reference-data', { q, sort: 'name' })).map(({ id, name, typeName }) => ({
      id,
      name,
      detail: typeName,
    })),
  collection: async (q) =>
    (await list<CollectionView>('/api/collections', { q, sort: 'name' })).map(({ id, name }) => ({
      id,
      name,
      detail: undefined,
    })),
  user: findUsers,
};

/** Finds users who are not erased, including deactivated users. */
export async function findUsers(q: string): Promise<HoldTarget[]> {
  const users = await list<UserView>('/api/users', { q, sort: 'username' });
  return users
    .filter(({ isErased }) => !isErased)
    .map(({ id, username, displayName }) => ({
      id,
      name: displayName ?? username,
      detail: displayName === null ? undefined : username,
    }));
}

export const holdTargetsQuery = (kind: keyof Targets, q: string) =>
  queryOptions({
    queryKey: ['hold-targets', kind, q],
    queryFn: () => TARGETS[kind](q),
    placeholderData: keepPreviousData,
  });
