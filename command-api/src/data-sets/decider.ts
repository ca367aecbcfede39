/** Rules of data sets: creation, changes and deletion. */
import {
  type ChangeDataSet,
  type CreateDataSet,
  type DataSet,
  type DataSetEvent,
  type ReferenceType,
  Refusal,
} from '@rdm/contracts';
import { requireDataSet, requireNoExclusiveImport } from '../invariants/exclusive-import.ts';
import { type Decision, decided } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

export function createDataSet(
  dataSet: DataSet | undefined,
  command: Pick<CreateDataSet, 'name' | 'description' | 'typeId' | 'isPublic' | 'labelField'> & { id: number },
  type: ReferenceType,
): Decision<DataSetEvent> {
  if (dataSet) throw new Refusal('CONFLICT', 'The creation of this data set was abandoned: create it again');
  const { id, name, description, typeId, isPublic, labelField } = command;
  // The registration of the data set stored its key fields in the type.
  const keyFieldIds = type.fields.filter(({ keyOf }) => keyOf?.includes(id)).map(({ fieldId }) => fieldId);
  return decided(
    {
      type: 'DataSetCreated',
      data: {
        ...{ id, name, description, typeId, keyFieldIds },
        ...(labelField == null ? {} : { labelFieldId: labelFieldId(type, labelField) }),
      },
    },
    ...(isPublic ? [{ type: 'DataSetPublished' as const, data: {} }] : []),
  );
}

function labelFieldId(type: ReferenceType, name: string): number {
  const field = type.fields.find((each) => each.name === name && !each.retired);
  if (!field) throw new Refusal('INVALID', `The type has no field "${name}" for the label`);
  return field.fieldId;
}

/**
 * Marks a data set as abandoned after its creation was refused. `abandoned` is false if the data set was created after
 * all and still exists.
 */
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
  expectedRevision: number | undefined,
  type: ReferenceType,
): Decision<DataSetEvent> {
  const current = requireExpectedRevision(requireDataSet(dataSet), expectedRevision, 'data set');
  const events: DataSetEvent[] = [];
  const renamed = command.name !== undefined && command.name !== current.name;
  const described = command.description !== undefined && command.description !== current.description;
  const label = command.labelField == null ? command.labelField : labelFieldId(type, command.labelField);
  const relabelled = label !== undefined && label !== current.labelFieldId;
  if (renamed || described || relabelled) {
    events.push({
      type: 'DataSetDetailsChanged',
      data: {
        ...(renamed ? { name: command.name } : {}),
        ...(described ? { description: command.description } : {}),
        ...(relabelled ? { labelFieldId: label } : {}),
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
  expectedRevision: number | undefined,
): Decision<DataSetEvent, { typeId: number }> {
  const current = requireExpectedRevision(requireDataSet(dataSet), expectedRevision, 'data set');
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
