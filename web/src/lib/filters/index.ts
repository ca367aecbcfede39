/** Queries and commands that all lists use for saved filters and filter configurations. */
import { configuredFields } from '@rdm/contracts/filters/configured-filter';
import type { FilterConfigurationView } from '@rdm/contracts/filters/filter-configurations';
import type { ChangeSavedFilter, ListView, SavedFilterView } from '@rdm/contracts/filters/saved-filters';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { read, type Written, write } from '../api/index.ts';

interface FullList<Row> {
  items: Row[];
  total: number;
}

const SAVED = '/api/saved-filters';
const savedFiltersKey = ['saved-filters'] as const;
const configurationsKey = ['filter-configurations'] as const;

/** The user's own saved filters for a list, and the filters that other users share, sorted by name. */
export const savedFiltersQuery = (entity: string) =>
  queryOptions({
    queryKey: [...savedFiltersKey, entity],
    queryFn: async () => (await read<FullList<SavedFilterView>>(SAVED, { query: { entity } })).items,
  });

export const reloadSavedFilters = (queries: QueryClient) => queries.invalidateQueries({ queryKey: savedFiltersKey });

export const createSavedFilter = (filter: { name: string; entity: string; view: ListView; isShared: boolean }) =>
  write<Written & { id: number }>('POST', SAVED, filter);

export const changeSavedFilter = ({ id, revision }: SavedFilterView, change: ChangeSavedFilter) =>
  write<Written>('PATCH', `${SAVED}/${id}`, change, { revision });

export const deleteSavedFilter = ({ id, revision }: SavedFilterView) =>
  write<Written>('DELETE', `${SAVED}/${id}`, undefined, { revision });

export const filterConfigurationsQuery = (entity: string) =>
  queryOptions({
    queryKey: [...configurationsKey, entity],
    queryFn: async () =>
      (await read<FullList<FilterConfigurationView>>('/api/filter-configurations', { query: { entity } })).items,
  });

export const reloadFilterConfigurations = (queries: QueryClient) =>
  queries.invalidateQueries({ queryKey: configurationsKey });

/**
 * Returns the fields that the configurations of a list allow in filters; undefined while the configurations are not
 * loaded. Loads the configurations only if `isNeeded`. Returns all fields if `entity` is undefined. Also returns all
 * fields if the query fails, because the server refuses fields that are not allowed.
 */
export function useConfiguredFields(
  entity: string | undefined,
  fields: readonly FilterField[],
  isNeeded: boolean,
): readonly FilterField[] | undefined {
  const { data, isPending } = useQuery({
    ...filterConfigurationsQuery(entity ?? ''),
    enabled: isNeeded && entity !== undefined,
  });
  if (entity === undefined) return fields;
  if (data !== undefined) return configuredFields(fields, data);
  return isPending ? undefined : fields;
}
