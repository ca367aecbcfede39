/** Queries and commands for API keys. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import type { ApiKeySecret, ApiKeyUsage, ApiKeyView, CreateApiKey } from '@rdm/contracts/identity/api-keys';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/api-keys';
/** The polling interval: the pages do not subscribe to live changes of keys. */
const REFRESH_MS = 5_000;
const COLLECTIONS_MAX = 1_000;

export const apiKeysKey = ['api-keys'] as const;

export const apiKeysQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...apiKeysKey, 'list', params],
    queryFn: () => read<Page<ApiKeyView>>(PATH, { query: params }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** The filter of the list for keys that expire soon. */
export const EXPIRING: FilterGroup = {
  logic: 'AND',
  conditions: [{ field: 'expiresSoon', operator: 'equals', value: true }],
};

export const expiringCountQuery = queryOptions({
  queryKey: [...apiKeysKey, 'expiring'],
  queryFn: async () => {
    const query = { page: 1, pageSize: 1, filter: JSON.stringify(EXPIRING) };
    const { total } = await read<Page<ApiKeyView>>(PATH, { query });
    return typeof total === 'number' ? total : total.atLeast;
  },
});

export const usageQuery = (id: number) =>
  queryOptions({
    queryKey: [...apiKeysKey, 'usage', id],
    queryFn: async () => (await read<{ days: ApiKeyUsage[] }>(`${PATH}/${id}/usage`)).days,
    refetchInterval: REFRESH_MS,
  });

/** The first COLLECTIONS_MAX collections by name, as choices for the scopes of a key. */
export const collectionChoicesQuery = queryOptions({
  queryKey: [...apiKeysKey, 'collections'],
  queryFn: async () => {
    const query = { page: 1, pageSize: COLLECTIONS_MAX, sort: 'name' };
    return (await read<Page<CollectionView>>('/api/collections', { query })).items;
  },
});

export const reloadApiKeys = (queries: QueryClient) => queries.invalidateQueries({ queryKey: apiKeysKey });

export const createApiKey = (key: CreateApiKey) => write<ApiKeySecret>('POST', PATH, key);

export const rotateApiKey = (id: number, overlapHours: number) =>
  write<ApiKeySecret>('POST', `${PATH}/${id}/rotate`, { overlapHours });

export const revokeApiKey = (id: number) => write('POST', `${PATH}/${id}/revoke`);
