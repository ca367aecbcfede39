/** Data sets: their life from creation to deletion, and what must be gone before. */
import {
  type ChangeDataSet,
  type CreateDataSet,
  type DataSet,
  type DataSetEvent,
  type ReferenceType,
  Refusal,
} from '@rdm/contracts';
import { type Decision, decided } from '../decision.ts';
import { existingDataSet, requireNoExclusiveImport } from '../exclusive.ts';
import { requireSeen } from '../seen.ts';

export function createDataSet(
  dataSet: DataSet | undefined,
  command: Pick<CreateDataSet, 'name' | 'description' | 'typeId' | 'isPublic'> & { id: number },
  type: ReferenceType,
): Decision<DataSetEvent> {
  if (dataSet) throw new Refusal('CONFLICT', 'Creating this data set was given up meanwhile: create it again');
  const { id, name, description, typeId, isPublic } = command;
  // The type holds the key that the data set was registered with.
  const keyFieldIds = type.fields.filter(({ keyOf }) => keyOf?.includes(id)).map(({ fieldId }) => fieldId);
  return decided(
    { type: 'DataSetCreated', data: { id, name, description, typeId, keyFieldIds } },
    ...(isPublic ? [{ type: 'DataSetPublished' as const, data: {} }] : []),
  );
}

/** Closes the stream of a data set that never came to be; says whether it is closed. */
export function abandonDataSet(
  dataSet: DataSet | undefined,
  id: number,
  typeId: number,
): Decision<DataSetEvent, { abandoned: boolean }> {
  if (dataSet) return { events: [], result: { abandoned: dataSet.deleted } };
  return { events: [{ type: 'DataSetAbandoned', data: { id, typeId } }], result: { abandoned: true } };
}

export function changeDataSet(
  dataSet: DataSet | undefined,
  command: ChangeDataSet,
  seen: number | undefined,
): Decision<DataSetEvent> {
  const current = requireSeen(existingDataSet(dataSet), seen, 'data set');
  const events: DataSetEvent[] = [];
  const renamed = command.name !== undefined && command.name !== current.name;
  const described = command.description !== undefined && command.description !== current.description;
  if (renamed || described) {
    events.push({
      type: 'DataSetDetailsChanged',
      data: {
        ...(renamed ? { name: command.name } : {}),
        ...(described ? { description: command.description } : {}),
      },
    });
  }
  if (command.isPublic !== undefined && command.isPublic !== current.isPublic) {
    events.push({ type: command.isPublic ? 'DataSetPublished' : 'DataSetUnpublished', data: {} });
  }
  return decided(...events);
}

export function deleteDataSet(
  dataSet: DataSet | undefined,
  seen: number | undefined,
): Decision<DataSetEvent, { typeId: number }> {
  const current = requireSeen(existingDataSet(dataSet), seen, 'data set');
  const { relationshipIds, crosswalkIds } = current;
  if (relationshipIds.length + crosswalkIds.length > 0) {
    throw new Refusal('IN_USE', 'This data set has relationships or crosswalks: delete them first', {
      relationshipIds,
      crosswalkIds,
    });
  }
  requireNoExclusiveImport(current);
  return { events: [{ type: 'DataSetDeleted', data: {} }], result: { typeId: current.typeId } };
}
