/** Queries and commands for collections. */
import type { Grant } from '@rdm/contracts/access/access';
import type {
  ChangeCollection,
  CollectionActivity,
  CollectionView,
  CreateCollection,
  EffectiveAccess,
  PermissionsView,
} from '@rdm/contracts/collections/collections';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/collections';

export const collectionsKey = ['collections'] as const;
export const collectionListKey = [...collectionsKey, 'list'] as const;

export const collectionsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...collectionListKey, params],
    queryFn: () => read<Page<CollectionView>>(PATH, { query: params }),
    placeholderData: keepPreviousData,
  });

export const collectionQuery = (id: number) =>
  queryOptions({
    queryKey: [...collectionsKey, 'one', id],
    queryFn: () => read<CollectionView>(`${PATH}/${id}`),
  });

export const itemsQuery = (id: number, params: ListParams) =>
  queryOptions({
    queryKey: [...collectionsKey, 'items', id, params],
    queryFn: () => read<Page<DataSetView>>(`${PATH}/${id}/items`, { query: params }),
    placeholderData: keepPreviousData,
  });

/** Reloads collections and data sets, because data sets contain the names of their collections. */
export const reloadCollections = (queries: QueryClient) =>
  Promise.all([collectionsKey, ['reference-data']].map((queryKey) => queries.invalidateQueries({ queryKey })));

export const createCollection = (collection: CreateCollection) =>
  write<Written & { id: number }>('POST', PATH, collection);

export const changeCollection = (id: number, revision: number, change: ChangeCollection) =>
  write<Written>('PATCH', `${PATH}/${id}`, change, { revision });

export const deleteCollection = (id: number, revision: number) =>
  write('DELETE', `${PATH}/${id}`, undefined, { revision });

export const addDataSets = (id: number, dataSetIds: readonly number[]) =>
  write('POST', `${PATH}/${id}/items`, { dataSetIds });

export const removeDataSets = (id: number, dataSetIds: readonly number[]) =>
  write('DELETE', `${PATH}/${id}/items`, { dataSetIds });

export const activityQuery = (id: number, params: ListParams) =>
  queryOptions({
    queryKey: [...collectionsKey, 'activity', id, params],
    queryFn: () => read<Page<CollectionActivity>>(`${PATH}/${id}/activity`, { query: params }),
    placeholderData: keepPreviousData,
  });

export const permissionsKey = (id: number) => [...collectionsKey, 'permissions', id] as const;

export const permissionsQuery = (id: number) =>
  queryOptions({
    queryKey: permissionsKey(id),
    queryFn: () => read<PermissionsView>(`${PATH}/${id}/permissions`),
  });

export const effectiveAccessQuery = (id: number, userId: number) =>
  queryOptions({
    queryKey: [...collectionsKey, 'effective-access', id, userId],
    queryFn: () => read<EffectiveAccess>(`${PATH}/${id}/effective-access`, { query: { userId } }),
  });

const COLLECTIONS_MAX = 1_000;

/** The collections with the level ADMIN among the first COLLECTIONS_MAX by name: their permissions can be copied. */
export const administeredCollectionsQuery = queryOptions({
  queryKey: [...collectionsKey, 'administered'],
  queryFn: async () => {
    const page = await read<Page<CollectionView>>(PATH, { query: { pageSize: COLLECTIONS_MAX, sort: 'name' } });
    return page.items.filter(({ level }) => level === 'ADMIN');
  },
});

export const savePermissions = (id: number, revision: number, permissions: readonly Grant[]) =>
  write<Written>('PUT', `${PATH}/${id}/permissions`, { permissions }, { revision });
