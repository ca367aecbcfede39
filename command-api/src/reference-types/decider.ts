/** Reference data types: what may be defined, changed and deleted, and when. */
import {
  activeFields,
  type ChangeReferenceType,
  type ChangeSchema,
  type DefineReferenceType,
  type ReferenceType,
  type ReferenceTypeEvent,
  Refusal,
  WORDS,
} from '@rdm/contracts';
import { type Decision, decided } from '../decision.ts';
import { existing } from '../dependants.ts';
import { requireSeen } from '../seen.ts';

export function defineType(
  type: ReferenceType | undefined,
  command: DefineReferenceType & { id: number },
): Decision<ReferenceTypeEvent> {
  if (type) throw new Refusal('CONFLICT', 'This reference data type exists already');
  requireDistinctNames(command.schemas);
  return decided({
    type: 'ReferenceTypeDefined',
    data: {
      id: command.id,
      name: command.name,
      description: command.description,
      fields: command.schemas.map((field, index) => ({ fieldId: index + 1, ...field })),
    },
  });
}

export function changeDetails(
  type: ReferenceType | undefined,
  command: ChangeReferenceType,
  seen: number | undefined,
): Decision<ReferenceTypeEvent, { nameBefore: string }> {
  const current = requireSeen(existing(type), seen, 'type');
  const changed = {
    ...(command.name !== undefined && command.name !== current.name ? { name: command.name } : {}),
    ...(command.description !== undefined && command.description !== current.description
      ? { description: command.description }
      : {}),
  };
  return {
    events: Object.keys(changed).length === 0 ? [] : [{ type: 'ReferenceTypeDetailsChanged', data: changed }],
    result: { nameBefore: current.name },
  };
}

/** The whole list of fields as the editor left it: what is new is added, what is missing is retired. */
export function changeSchema(
  type: ReferenceType | undefined,
  command: ChangeSchema,
  seen: number | undefined,
): Decision<ReferenceTypeEvent> {
  const current = requireSeen(existing(type), seen, 'type');
  requireDistinctNames(command.schemas);
  const events: ReferenceTypeEvent[] = [];
  const kept = new Set(command.schemas.map((field) => field.fieldId));
  let nextId = Math.max(0, ...current.fields.map((field) => field.fieldId));
  const inUse = current.dataSetIds.length > 0;

  for (const field of activeFields(current)) {
    if (kept.has(field.fieldId)) continue;
    if (field.referencedBy.length > 0) throw locked(field.name, 'a crosswalk or relationship uses it');
    if (field.isPrimaryKey && inUse) throw locked(field.name, 'it is part of the key of data sets of this type');
    events.push({ type: 'FieldRetired', data: { fieldId: field.fieldId } });
  }
  for (const { fieldId, name, dataType, isPrimaryKey } of command.schemas) {
    if (fieldId === undefined) {
      if (isPrimaryKey && inUse) throw locked(name, 'data sets of this type have their key already');
      nextId += 1;
      events.push({ type: 'FieldAdded', data: { fieldId: nextId, name, dataType, isPrimaryKey } });
      continue;
    }
    const field = activeFields(current).find((each) => each.fieldId === fieldId);
    if (!field) throw new Refusal('INVALID', `This type has no field ${fieldId}`);
    if (field.name !== name) events.push({ type: 'FieldRenamed', data: { fieldId, name } });
    const retyped = field.dataType !== dataType;
    const rekeyed = field.isPrimaryKey !== isPrimaryKey;
    if ((retyped || rekeyed) && field.isPrimaryKey && field.referencedBy.length > 0) {
      throw locked(field.name, 'it is a primary key that a crosswalk or relationship uses');
    }
    if ((rekeyed || (retyped && field.isPrimaryKey)) && inUse) {
      throw locked(field.name, 'it belongs to the key of data sets of this type');
    }
    if (retyped || rekeyed) {
      const change = { ...(retyped ? { dataType } : {}), ...(rekeyed ? { isPrimaryKey } : {}) };
      events.push({ type: 'FieldChanged', data: { fieldId, ...change } });
    }
  }
  return decided(...events);
}

export function deleteType(
  type: ReferenceType | undefined,
  seen: number | undefined,
): Decision<ReferenceTypeEvent, { name: string }> {
  const current = requireSeen(existing(type), seen, 'type');
  if (current.dataSetIds.length > 0) {
    throw new Refusal('TYPE_IN_USE', WORDS.typeInUse, { dataSets: current.dataSetIds.length });
  }
  return { events: [{ type: 'ReferenceTypeDeleted', data: {} }], result: { name: current.name } };
}

const locked = (name: string, why: string) => new Refusal('FIELD_LOCKED', `The field "${name}" is locked: ${why}`);

function requireDistinctNames(fields: readonly { name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of fields) {
    const folded = name.toLowerCase();
    if (names.has(folded)) throw new Refusal('INVALID', `Two fields are named "${name}"`);
    names.add(folded);
  }
}
