/** Queries and checks that several features share: data sets, types, their fields, and rows of a data set. */

import type { Level } from '@rdm/contracts/access/permissions';
import type { CollectionView } from '@rdm/contracts/collections/collections';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { Page } from '@rdm/contracts/lists/filter';
import type { ReferenceTypeView, SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { normaliseName } from '@rdm/contracts/text/names';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { read, unwrap } from '../api/index.ts';
import { useDebounced } from '../debounce/index.ts';

const CHOICES = 50;
const VALUES = 20;

/** The first data sets that match the text and on which the user has at least this level (READ by default). */
export const dataSetChoicesQuery = (q: string, minLevel?: Level) =>
  queryOptions({
    queryKey: ['reference-data', 'choices', minLevel, q],
    queryFn: () =>
      read<Page<DataSetView>>('/api/reference-data', { query: { q, minLevel, pageSize: CHOICES, sort: 'name' } }),
    placeholderData: keepPreviousData,
  });

/**
 * Warns if another data set that the user may read has this name, among the first data sets that match the name.
 * `ownName` is the current name of the data set.
 */
export function useNameWarning(name: string, ownName = ''): string | undefined {
  const debouncedName = useDebounced(name).trim();
  const { data } = useQuery({
    ...dataSetChoicesQuery(debouncedName),
    enabled: debouncedName !== '' && debouncedName !== ownName,
  });
  // The response may belong to a name that was typed earlier.
  const isTaken = data?.items.some((dataSet) => normaliseName(dataSet.name) === normaliseName(name));
  if (!isTaken || normaliseName(name) === normaliseName(ownName)) return undefined;
  return 'Another data set already has this name. Add a word that distinguishes this data set.';
}

/**
 * Whether the user has the level on at least one data set; undefined while loading. True if the query fails, because
 * the server checks the level too.
 */
function useHasLevel(level: Level): boolean | undefined {
  const { data, error } = useQuery(dataSetChoicesQuery('', level));
  if (data === undefined) return error === null ? undefined : true;
  return data.items.length > 0;
}

/** Whether the user has WRITE on at least one data set, which can be the source of a crosswalk or relationship. */
export const useMayJoinDataSets = () => useHasLevel('WRITE');

/** Whether the user has APPROVER on at least one data set. */
export const useMayApprove = () => useHasLevel('APPROVER');

export const dataSetKey = (id: number | undefined) => ['reference-data', 'one', id] as const;

export const dataSetQuery = (id: number | undefined) =>
  queryOptions({
    queryKey: dataSetKey(id),
    queryFn: () => read<DataSetView>(`/api/reference-data/${id}`),
    enabled: id !== undefined,
  });

const COLLECTIONS_SHOWN = 1_000;

/** The collections that the user may read, at most `COLLECTIONS_SHOWN`. */
export const collectionChoicesQuery = queryOptions({
  queryKey: ['reference-data', 'collections'],
  queryFn: async () => {
    const page = await read<Page<CollectionView>>('/api/collections', {
      query: { pageSize: COLLECTIONS_SHOWN, sort: 'name' },
    });
    return page.items;
  },
});

export const typeChoicesQuery = queryOptions({
  queryKey: ['reference-data', 'types'],
  queryFn: async () => unwrap<ReferenceTypeView[]>(await read('/api/reference-types')),
});

export const fieldsKey = ['reference-data', 'fields'] as const;

/** The fields of a type, in their order. */
export const fieldsQuery = (typeId: number | undefined) =>
  queryOptions({
    queryKey: [...fieldsKey, typeId],
    queryFn: async () => unwrap<SchemaFieldView[]>(await read(`/api/reference-types/${typeId}/schemas`)),
    enabled: typeId !== undefined,
  });

export const OPENED_DATA_SETS_KEY = ['reference-data', 'opened'] as const;

type NamedDataSet = Pick<DataSetView, 'id' | 'name'>;

/** The data sets with the given ids that the user can still read, in the given order. */
export const openedDataSetsQuery = (opened: readonly number[]) =>
  queryOptions({
    queryKey: [...OPENED_DATA_SETS_KEY, ...opened],
    queryFn: async () => {
      const { items } = await read<Page<NamedDataSet>>('/api/reference-data', {
        query: {
          fields: 'id,name',
          filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: opened }] }),
        },
      });
      return opened.flatMap((id) => items.find((candidate) => candidate.id === id) ?? []);
    },
    enabled: opened.length > 0,
    placeholderData: keepPreviousData,
  });

/** The first rows that contain the text. */
export const valuesQuery = (dataSetId: number, q: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['reference-data', 'values', dataSetId, q],
    queryFn: () =>
      read<Page<InstanceView>>(`/api/reference-data/${dataSetId}/instances`, { query: { q, pageSize: VALUES } }),
    placeholderData: keepPreviousData,
    enabled,
  });

export interface NamedValue {
  value: string;
  label: string | null;
}

/** Returns the value of an attribute with the label of the row; undefined if the value is empty. */
export function namedValue(
  { data }: Pick<InstanceView, 'data'>,
  attribute: string,
  labelField: string | null,
): NamedValue | undefined {
  const value = data[attribute];
  if (value === null || value === undefined || value === '') return undefined;
  return { value: String(value), label: cellLabel(data, labelField) };
}

/** The value of the label field of a row; null if the value is empty or there is no label field. */
export function cellLabel(data: InstanceView['data'], labelField: string | null): string | null {
  const label = labelField === null ? null : data[labelField];
  return label === null || label === undefined || label === '' ? null : String(label);
}
