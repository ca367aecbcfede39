/**
 * Registers crosswalks and relationships in the streams of their data sets and types, and data sets in the streams of
 * their types, from before their creation until their deletion. So the decision to delete a data set or type needs only
 * the stream of that data set or type.
 */
import {
  activeFields,
  type DataSet,
  type DataSetEvent,
  type ReferenceType,
  type ReferenceTypeEvent,
  Refusal,
  type TypeField,
} from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';

export type Referrer = { kind: 'relationship' | 'crosswalk'; id: number };

/** Returns the type; throws if it does not exist or is deleted. */
export function requireType(type: ReferenceType | undefined): ReferenceType {
  if (!type || type.deleted) throw new Refusal('NOT_FOUND', 'This reference data type does not exist');
  return type;
}

/** Registers a data set with its key: the named fields, or by default the key fields of the type. */
export function registerDataSet(
  type: ReferenceType | undefined,
  dataSetId: number,
  keyFields?: readonly string[],
): Decision<ReferenceTypeEvent> {
  const current = requireType(type);
  if (current.dataSetIds.includes(dataSetId)) return nothing();
  const keyFieldIdSet = keyFields && new Set(keyFields.map((name) => fieldNamed(current, name).fieldId));
  const keyFieldIds = activeFields(current)
    .filter(({ fieldId, isPrimaryKey }) => keyFieldIdSet?.has(fieldId) ?? isPrimaryKey)
    .map(({ fieldId }) => fieldId);
  return decided({ type: 'DataSetRegistered', data: { dataSetId, keyFieldIds } });
}

export function unregisterDataSet(type: ReferenceType | undefined, dataSetId: number): Decision<ReferenceTypeEvent> {
  return type?.dataSetIds.includes(dataSetId)
    ? decided({ type: 'DataSetUnregistered', data: { dataSetId } })
    : nothing();
}

/** Returns the field of a type with this name; throws if there is none. */
export function fieldNamed(type: ReferenceType, name: string): TypeField {
  const field = activeFields(type).find((each) => each.name === name);
  if (!field) {
    const fieldNames = activeFields(type).map((each) => each.name);
    throw new Refusal('INVALID', `"${type.name}" has no field "${name}": choose one of ${fieldNames.join(', ')}`);
  }
  return field;
}

export function referenceField(
  type: ReferenceType | undefined,
  fieldId: number,
  by: Referrer,
): Decision<ReferenceTypeEvent> {
  const field = activeFields(requireType(type)).find((each) => each.fieldId === fieldId);
  if (!field) throw new Refusal('CONFLICT', 'The field was retired meanwhile: choose another one');
  return field.referencedBy.includes(`${by.kind}:${by.id}`)
    ? nothing()
    : decided({ type: 'FieldReferenced', data: { fieldId, by } });
}

export function unreferenceField(
  type: ReferenceType | undefined,
  fieldId: number,
  by: Referrer,
): Decision<ReferenceTypeEvent> {
  const field = type?.fields.find((each) => each.fieldId === fieldId);
  return field?.referencedBy.includes(`${by.kind}:${by.id}`)
    ? decided({ type: 'FieldUnreferenced', data: { fieldId, by } })
    : nothing();
}

const REGISTERED = {
  crosswalk: ['CrosswalkRegistered', 'CrosswalkUnregistered', 'crosswalkIds'],
  relationship: ['RelationshipRegistered', 'RelationshipUnregistered', 'relationshipIds'],
} as const;

export function registerOnDataSet(dataSet: DataSet | undefined, by: Referrer): Decision<DataSetEvent> {
  if (!dataSet || dataSet.deleted) throw new Refusal('NOT_FOUND', 'This data set does not exist');
  const [registered, , list] = REGISTERED[by.kind];
  return dataSet[list].includes(by.id) ? nothing() : decided({ type: registered, data: { id: by.id } });
}

export function unregisterOnDataSet(dataSet: DataSet | undefined, by: Referrer): Decision<DataSetEvent> {
  const [, unregistered, list] = REGISTERED[by.kind];
  return dataSet?.[list].includes(by.id) ? decided({ type: unregistered, data: { id: by.id } }) : nothing();
}
