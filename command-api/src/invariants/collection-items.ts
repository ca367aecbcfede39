/** Adds and removes the data sets of a collection, for the modules `collections` and `data-sets`. */
import { ACCESS_STREAM, type AccessCollection, type AccessEvent, type AccessState, Refusal } from '@rdm/contracts';
import { type Decision, decided } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

export function requireCollection(access: AccessState, collectionId: number): AccessCollection {
  const collection = access.collections.get(collectionId);
  if (!collection || collection.deleted) throw new Refusal('NOT_FOUND', 'This collection does not exist');
  return collection;
}

export function addItems(
  access: AccessState,
  collectionId: number,
  dataSetIds: readonly number[],
): Decision<AccessEvent> {
  const collection = requireCollection(access, collectionId);
  const added = [...new Set(dataSetIds)].filter((id) => !collection.dataSetIds.has(id));
  return added.length === 0
    ? decided()
    : decided({ type: 'CollectionItemsAdded', data: { collectionId, dataSetIds: added } });
}

export function removeItems(
  access: AccessState,
  collectionId: number,
  dataSetIds: readonly number[],
): Decision<AccessEvent> {
  const collection = requireCollection(access, collectionId);
  const removed = [...new Set(dataSetIds)].filter((id) => collection.dataSetIds.has(id));
  return removed.length === 0
    ? decided()
    : decided({ type: 'CollectionItemsRemoved', data: { collectionId, dataSetIds: removed } });
}

export const addToCollection = (x: Execution, collectionId: number, dataSetIds: readonly number[]) =>
  x.change(kinds.access, ACCESS_STREAM, dataSetIds, (access) => addItems(access, collectionId, dataSetIds));
