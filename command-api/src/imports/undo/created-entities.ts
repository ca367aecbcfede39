/** Finds the data set, type and collection that an import created, so that the undo can offer to delete these. */
import {
  type CreatedByImport,
  type DataSet,
  hasAbility,
  type ImportJob,
  levelOnCollection,
  levelOnDataSet,
  streams,
} from '@rdm/contracts';
import { findDraft } from '@rdm/platform';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';

/**
 * Returns the data set that an import created; null if there is none, or if the actor may not delete it. Adds a created
 * type or collection if only this data set uses it and the actor may delete it. Types and collections are unknown after
 * a week, when the draft of the import is deleted.
 */
export async function createdByImport(
  x: Execution,
  { request }: ImportJob,
  dataSet: DataSet,
): Promise<CreatedByImport | null> {
  if (request.jobType !== 'REFERENCE_DATA_IMPORT') return null;
  const [access, actor] = [await x.access.current(), await x.actor()];
  if (levelOnDataSet(access, actor, dataSet) !== 'ADMIN') return null;
  const target = (await findDraft(x.pool, request.fileId))?.settings.target;
  const created = target?.kind === 'newDataSet' ? target : undefined;
  const { state: type } = await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId));
  const isOwnType =
    created !== undefined && created.typeId === undefined && type?.dataSetIds.length === 1 && !type.deleted;
  const ownCollection = [...access.collections].find(
    ([, { name, deleted, dataSetIds }]) =>
      !deleted && name === created?.newCollection && dataSetIds.size === 1 && dataSetIds.has(dataSet.id),
  );
  const [collectionId, collection] = ownCollection ?? [];
  const mayDeleteCollection = collectionId !== undefined && levelOnCollection(access, actor, collectionId) === 'ADMIN';
  return {
    dataSet: { id: dataSet.id, name: dataSet.name, revision: dataSet.revision },
    type:
      isOwnType && hasAbility(access, actor, 'types.write')
        ? { id: type.id, name: type.name, revision: type.revision }
        : null,
    collection:
      collection && mayDeleteCollection
        ? { id: collectionId, name: collection.name, revision: collection.revision }
        : null,
  };
}
