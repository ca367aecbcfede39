/** What several features choose from, on the wire: data sets, types, their fields, and the rows of a data set. */
import type { DataSetView, InstanceView } from '@rdm/contracts/data-sets';
import type { Page } from '@rdm/contracts/filter';
import type { ReferenceTypeView, SchemaFieldView } from '@rdm/contracts/reference-types';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read, unwrapped } from '../api/index.ts';

const CHOICES = 50;
const VALUES = 20;

export const dataSetChoicesQuery = (q: string) =>
  queryOptions({
    queryKey: ['data-sets', 'choices', q],
    queryFn: () => read<Page<DataSetView>>('/api/reference-data', { query: { q, pageSize: CHOICES, sort: 'name' } }),
    placeholderData: keepPreviousData,
  });

export const dataSetQuery = (id: number | undefined) =>
  queryOptions({
    queryKey: ['data-sets', 'one', id],
    queryFn: () => read<DataSetView>(`/api/reference-data/${id}`),
    enabled: id !== undefined,
  });

export const typeChoicesQuery = queryOptions({
  queryKey: ['reference-data', 'types'],
  queryFn: async () => unwrapped<ReferenceTypeView[]>(await read('/api/reference-types')),
});

export const fieldsQuery = (typeId: number | undefined) =>
  queryOptions({
    queryKey: ['data-sets', 'fields', typeId],
    queryFn: async () => unwrapped<SchemaFieldView[]>(await read(`/api/reference-types/${typeId}/schemas`)),
    enabled: typeId !== undefined,
  });

/** Rows in which some text occurs, for typing ahead. */
export const valuesQuery = (dataSetId: number, q: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['data-sets', 'values', dataSetId, q],
    queryFn: () =>
      read<Page<InstanceView>>(`/api/reference-data/${dataSetId}/instances`, { query: { q, pageSize: VALUES } }),
    placeholderData: keepPreviousData,
    enabled,
  });

export interface NamedValue {
  value: string;
  label: string | null;
}

/** An instance as what joins data sets sees it: the value of one attribute, and the first other text as what it is called. */
export function namedValue({ data }: InstanceView, attribute: string): NamedValue | undefined {
  const value = data[attribute];
  if (value === null || value === undefined || value === '') return undefined;
  const label = Object.entries(data).find(([name, cell]) => name !== attribute && typeof cell === 'string');
  return { value: String(value), label: label === undefined ? null : String(label[1]) };
}
