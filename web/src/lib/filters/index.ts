/** Saved filters and filter configurations on the wire: what every list shares, whichever feature it is of. */
import { configuredFields } from '@rdm/contracts/filters/configured-filter';
import type { FilterConfigurationView } from '@rdm/contracts/filters/filter-configurations';
import type { ChangeSavedFilter, ListView, SavedFilterView } from '@rdm/contracts/filters/saved-filters';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { read, type Written, write } from '../api/index.ts';

interface All<Row> {
  items: Row[];
  total: number;
}

const SAVED = '/api/saved-filters';
const savedFiltersKey = ['saved-filters'] as const;
const configurationsKey = ['filter-configurations'] as const;

/** One's own of a list, and those shared with whoever may read it, by name. */
export const savedFiltersQuery = (entity: string) =>
  queryOptions({
    queryKey: [...savedFiltersKey, entity],
    queryFn: async () => (await read<All<SavedFilterView>>(SAVED, { query: { entity } })).items,
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
      (await read<All<FilterConfigurationView>>('/api/filter-configurations', { query: { entity } })).items,
  });

export const reloadFilterConfigurations = (queries: QueryClient) =>
  queries.invalidateQueries({ queryKey: configurationsKey });

/**
 * The fields as the list's configurations leave them; undefined until they are known. Where they cannot be read all
 * are offered: the server still refuses what is not.
 */
export function useConfiguredFields(
  entity: string | undefined,
  fields: readonly FilterField[],
  wanted: boolean,
): readonly FilterField[] | undefined {
  const { data, isPending } = useQuery({
    ...filterConfigurationsQuery(entity ?? ''),
    enabled: wanted && entity !== undefined,
  });
  if (entity === undefined) return fields;
  if (data !== undefined) return configuredFields(fields, data);
  return isPending ? undefined : fields;
}
