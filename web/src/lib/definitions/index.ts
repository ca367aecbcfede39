/** Queries and live rooms for definitions, which are crosswalks and relationships. */
import type { Page } from '@rdm/contracts/lists/filter';
import { queryOptions } from '@tanstack/react-query';
import { read, readHistory } from '../api/index.ts';
import type { ListParams } from '../url-state/list-state.ts';

/** A kind of definition. API paths contain the plural, such as `/api/crosswalks`. */
export type DefinitionName = 'crosswalk' | 'relationship';

export const definitionPath = (name: DefinitionName, id: number): string => `/api/${name}s/${id}`;

export const definitionsKey = (name: DefinitionName) => [`${name}s`, 'list'] as const;
export const definitionKey = (name: DefinitionName, id: number) => [`${name}s`, id] as const;

/** The list of existing or of deleted definitions. */
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

/** Reads the current definition, never from a cache. */
export const currentDefinition = <View>(name: DefinitionName, id: number) =>
  read<View>(definitionPath(name, id), { fresh: true });

/** The versions of a definition, newest first. */
export const definitionHistoryQuery = <Version>(name: DefinitionName, id: number) =>
  queryOptions({
    queryKey: [...definitionKey(name, id), 'history'],
    queryFn: () => readHistory<Version>(definitionPath(name, id)),
  });

/** The room of all collections and data sets, and the room of all definitions of this kind. */
const listRooms = (name: DefinitionName): string[] => ['collections', `${name}s`];

/** The live rooms of a list of definitions. Only the room of a definition receives the changes of its rows. */
export const definitionRooms = (name: DefinitionName, ids: readonly number[]): string[] => [
  ...listRooms(name),
  ...ids.map((id) => `${name}:${id}`),
];

/** The live rooms of a list of deleted definitions. Changes of the rows of these data sets also refresh the list. */
export const deletedRooms = (name: DefinitionName, dataSetIds: readonly number[]): string[] => [
  ...listRooms(name),
  ...new Set(dataSetIds.map((id) => `data-set:${id}`)),
];
