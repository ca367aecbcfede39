/** Queries of definitions, crosswalks or relationships: their list, one of them, its history, and the rooms they join. */
import type { Page } from '@rdm/contracts/lists/filter';
import { queryOptions } from '@tanstack/react-query';
import { read, readHistory } from '../api/index.ts';
import type { ListParams } from '../url-state/list-state.ts';

/** The path of its API and of its pages is the plural. */
export type DefinitionName = 'crosswalk' | 'relationship';

export const definitionPath = (name: DefinitionName, id: number): string => `/api/${name}s/${id}`;

export const definitionsKey = (name: DefinitionName) => [`${name}s`, 'list'] as const;
export const definitionKey = (name: DefinitionName, id: number) => [`${name}s`, id] as const;

/** Existing or deleted ones. */
export const definitionsQuery = <View>(name: DefinitionName, params: ListParams, deleted = false) =>
  queryOptions({
    queryKey: [...definitionsKey(name), params, deleted],
    queryFn: () => read<Page<View>>(`/api/${name}s`, { query: { ...params, deleted: deleted || undefined } }),
  });

export const definitionQuery = <View>(name: DefinitionName, id: number) =>
  queryOptions({
    queryKey: [...definitionKey(name, id), 'definition'],
    queryFn: () => read<View>(definitionPath(name, id)),
  });

/** The current definition, never from a cache. */
export const currentDefinition = <View>(name: DefinitionName, id: number) =>
  read<View>(definitionPath(name, id), { fresh: true });

/** Every version of the definition. */
export const definitionHistoryQuery = <Version>(name: DefinitionName, id: number) =>
  queryOptions({
    queryKey: [...definitionKey(name, id), 'history'],
    queryFn: () => readHistory<Version>(definitionPath(name, id)),
  });

const LIST_ROOMS = ['collections', 'reviews'];

/** Changes of values are sent to the room of their definition; new definitions to those of all submissions and data sets. */
export const definitionRooms = (name: DefinitionName, ids: readonly number[]): string[] => [
  ...LIST_ROOMS,
  ...ids.map((id) => `${name}:${id}`),
];

/** A deleted definition has no room of its own; a restored one is sent to the rooms of its data sets. */
export const deletedRooms = (dataSetIds: readonly number[]): string[] => [
  ...LIST_ROOMS,
  ...new Set(dataSetIds.map((id) => `data-set:${id}`)),
];
