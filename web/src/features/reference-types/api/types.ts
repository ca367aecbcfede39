/** Queries and commands for reference data types (specification §7). */
import type {
  ChangeReferenceType,
  ChangeSchema,
  DefineReferenceType,
  DependencyAnalysis,
  ReferenceTypeView,
  SchemaFieldView,
} from '@rdm/contracts/reference-types/reference-types';
import type { SchemaPreview } from '@rdm/contracts/reference-types/schema-changes';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, unwrap, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/reference-types';

export const typesKey = ['reference-types', 'list'] as const;

export const typesQuery = queryOptions({
  queryKey: typesKey,
  queryFn: async () => unwrap<ReferenceTypeView[]>(await read(PATH)),
});

/**
 * The types that match the search and filter of the list, in its order. The list has no pages: these types are loaded
 * at once (specification §7).
 */
export const listedTypesQuery = ({ q, filter, sort, order }: ListParams) =>
  queryOptions({
    queryKey: [...typesKey, { q, filter, sort, order }],
    queryFn: async () => unwrap<ReferenceTypeView[]>(await read(PATH, { query: { q, filter, sort, order } })),
    placeholderData: keepPreviousData,
  });

/** The revision of the type is part of the query key, so that the fields are reloaded only when the type has changed. */
export const schemasQuery = (type: Pick<ReferenceTypeView, 'id' | 'revision'>) =>
  queryOptions({
    queryKey: ['reference-types', 'schemas', type.id, type.revision],
    queryFn: async () => unwrap<SchemaFieldView[]>(await read(`${PATH}/${type.id}/schemas`)),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The dependants of a type, never read from a cache. */
export const dependenciesQuery = (id: number | undefined) =>
  queryOptions({
    queryKey: ['reference-types', 'dependencies', id],
    queryFn: async () => {
      if (id === undefined) throw new Error('Type ID is required');
      const analysis = unwrap<DependencyAnalysis | null | undefined>(
        await read(`${PATH}/${id}/dependencies`, { fresh: true }),
      );
      if (analysis === undefined || analysis === null) throw new Error('No dependency data received from server');
      return analysis;
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export const debugQuery = (id: number) =>
  queryOptions({
    queryKey: ['reference-types', 'debug', id],
    queryFn: async () => {
      const [type, schemas, events] = await Promise.all([
        read(`${PATH}/${id}`),
        read(`${PATH}/${id}/schemas`),
        read(`${PATH}/${id}/events`),
      ]);
      return { type, schemas, events };
    },
  });

export const reloadTypes = (queries: QueryClient) => queries.invalidateQueries({ queryKey: typesKey });

export const createType = (type: DefineReferenceType) => write('POST', PATH, type);

export const changeType = (id: number, revision: number, change: ChangeReferenceType) =>
  write<Written>('PATCH', `${PATH}/${id}`, change, { revision });

export const changeSchema = (id: number, revision: number, change: ChangeSchema) =>
  write<Written>('PUT', `${PATH}/${id}/schemas`, change, { revision });

/** The impact of a schema on existing rows, never read from a cache. */
export const schemaPreviewQuery = (id: number, change: ChangeSchema) =>
  queryOptions({
    queryKey: ['reference-types', 'schema-preview', id, change],
    queryFn: () => write<SchemaPreview>('POST', `${PATH}/${id}/schema-preview`, change),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

export const deleteType = (id: number) => write('DELETE', `${PATH}/${id}`);

/** Whether anything depends on the type, visible to the user or hidden. */
export function hasDependants({ datasets, relationships, crosswalkMappings, hidden }: DependencyAnalysis): boolean {
  const visibleCount = datasets.length + relationships.length + crosswalkMappings.length;
  return visibleCount + (hidden?.datasets ?? 0) + (hidden?.relationships ?? 0) + (hidden?.crosswalkMappings ?? 0) > 0;
}
