/** Queries and commands for filter tests, the subjects of tested lists, and filter configurations. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type {
  ChangeFilterConfiguration,
  CreateFilterConfiguration,
  FilterConfigurationView,
  FilterTestView,
} from '@rdm/contracts/filters/filter-configurations';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

const CONFIGURATIONS = '/api/filter-configurations';
const SUBJECTS_MAX = 20;

/** Runs the test on every visit, because measurements become outdated quickly. */
export const filterTestQuery = (entity: string, filter: FilterGroup | null) =>
  queryOptions({
    queryKey: ['filter-test', entity, filter],
    queryFn: () => write<FilterTestView>('POST', '/api/filter-test', { entity, filter }),
    staleTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

/** A data set, crosswalk or relationship whose rows, mappings or values are the tested list. */
export interface Subject {
  id: number;
  name: string;
}

const PATHS = {
  'data-set': '/api/reference-data',
  crosswalk: '/api/crosswalks',
  relationship: '/api/relationships',
} as const;
export type SubjectKind = keyof typeof PATHS;

/** The first subjects of a kind, by name, that match the search text `q`. */
export const subjectsQuery = (kind: SubjectKind, q: string) =>
  queryOptions({
    queryKey: ['filter-test', 'subjects', kind, q],
    queryFn: async (): Promise<Subject[]> => {
      const query = { page: 1, pageSize: SUBJECTS_MAX, sort: 'name', q: q === '' ? undefined : q };
      return (await read<Page<DataSetView | CrosswalkView | RelationshipView>>(PATHS[kind], { query })).items;
    },
    placeholderData: keepPreviousData,
  });

export const subjectQuery = (kind: SubjectKind, id: number) =>
  queryOptions({
    queryKey: ['filter-test', 'subject', kind, id],
    queryFn: () => read<Subject>(`${PATHS[kind]}/${id}`),
  });

export const createConfiguration = (configuration: CreateFilterConfiguration) =>
  write('POST', CONFIGURATIONS, configuration);

export const changeConfiguration = ({ id, revision }: FilterConfigurationView, change: ChangeFilterConfiguration) =>
  write('PATCH', `${CONFIGURATIONS}/${id}`, change, { revision });

export const deleteConfiguration = ({ id, revision }: FilterConfigurationView) =>
  write('DELETE', `${CONFIGURATIONS}/${id}`, undefined, { revision });
