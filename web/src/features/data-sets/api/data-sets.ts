/** Queries and commands for data sets. */
import type { ChangeDataSet, CreateDataSetBody, DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import type { DependencyAnalysis } from '@rdm/contracts/reference-types/reference-types';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, unwrap, type Written, write } from '../../../lib/api/index.ts';
import { definitionsKey } from '../../../lib/definitions/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export { dataSetKey, dataSetQuery, fieldsKey, fieldsQuery } from '../../../lib/data-sets/index.ts';

const PATH = '/api/reference-data';

export const dataSetListKey = ['reference-data', 'list'] as const;

export const dataSetsQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...dataSetListKey, params],
    queryFn: () => read<Page<DataSetView>>(PATH, { query: params }),
  });

/** The filter of the relationships whose source or target is the data set. */
export const relationshipsFilter = (id: number): string =>
  JSON.stringify({
    logic: 'OR',
    conditions: [
      { field: 'sourceDataSetId', operator: 'equals', value: id },
      { field: 'targetDataSetId', operator: 'equals', value: id },
    ],
  } satisfies FilterGroup);

/** The first relationships of a data set, sorted by name. */
export const relationshipsOfDataSetQuery = (id: number, pageSize: number) =>
  queryOptions({
    queryKey: [...definitionsKey('relationship'), 'of', id],
    queryFn: () =>
      read<Page<Pick<RelationshipView, 'id' | 'name'>>>('/api/relationships', {
        query: { filter: relationshipsFilter(id), sort: 'name', fields: 'id,name', pageSize },
      }),
  });

/** The relationships and crosswalks that depend on a data set, always read without a cache. */
export const dependenciesQuery = (id: number) =>
  queryOptions({
    queryKey: ['reference-data', 'dependencies', id],
    queryFn: async () => unwrap<DependencyAnalysis>(await read(`${PATH}/${id}/dependencies`, { fresh: true })),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export const reloadDataSets = (queries: QueryClient) => queries.invalidateQueries({ queryKey: ['reference-data'] });

export const createDataSet = (dataSet: CreateDataSetBody) => write<Written & { id: number }>('POST', PATH, dataSet);

export const changeDataSet = (id: number, revision: number, change: ChangeDataSet) =>
  write<Written>('PATCH', `${PATH}/${id}`, change, { revision });

export const deleteDataSet = (id: number, revision: number) =>
  write('DELETE', `${PATH}/${id}`, undefined, { revision });

export const addToCollection = (collectionId: number, dataSetId: number) =>
  write('POST', `/api/collections/${collectionId}/items`, { dataSetIds: [dataSetId] });

export const removeFromCollection = (collectionId: number, dataSetId: number) =>
  write('DELETE', `/api/collections/${collectionId}/items`, { dataSetIds: [dataSetId] });
