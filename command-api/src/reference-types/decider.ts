/** Rules of reference types: definition, schema changes and deletion. */
import {
  type ChangeReferenceType,
  type ChangeSchema,
  type DefineReferenceType,
  planSchema,
  type ReferenceType,
  type ReferenceTypeEvent,
  Refusal,
  repeatedNames,
  type SchemaStep,
  WORDS,
} from '@rdm/contracts';
import { requireType } from '../invariants/dependants.ts';
import { type Decision, decided } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

export function defineType(
  type: ReferenceType | undefined,
  command: DefineReferenceType & { id: number },
): Decision<ReferenceTypeEvent> {
  if (type) throw new Refusal('CONFLICT', 'This reference data type exists already');
  const [repeated] = repeatedNames(command.schemas);
  if (repeated) throw new Refusal(repeated.code, repeated.message);
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
  expectedRevision: number | undefined,
): Decision<ReferenceTypeEvent, { nameBefore: string }> {
  const current = requireExpectedRevision(requireType(type), expectedRevision, 'type');
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

/** Replaces the whole list of fields: adds, renames and changes fields, and retires missing ones. */
export function changeSchema(
  type: ReferenceType | undefined,
  command: ChangeSchema,
  expectedRevision: number | undefined,
): Decision<ReferenceTypeEvent> {
  const current = requireExpectedRevision(requireType(type), expectedRevision, 'type');
  const { steps, problems } = planSchema(current, command.schemas);
  const [problem] = problems;
  if (problem) throw new Refusal(problem.code, problem.message);
  let lastId = Math.max(0, ...current.fields.map((field) => field.fieldId));
  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  return decided(...steps.map((step) => eventOf(step, nextId)));
}

function eventOf(step: SchemaStep, nextId: () => number): ReferenceTypeEvent {
  switch (step.kind) {
    case 'retired':
      return { type: 'FieldRetired', data: { fieldId: step.field.fieldId } };
    case 'added': {
      const { name, dataType, isPrimaryKey } = step;
      return { type: 'FieldAdded', data: { fieldId: nextId(), name, dataType, isPrimaryKey } };
    }
    case 'renamed':
      return { type: 'FieldRenamed', data: { fieldId: step.field.fieldId, name: step.name } };
    case 'changed': {
      const { kind: _, field, ...change } = step;
      return { type: 'FieldChanged', data: { fieldId: field.fieldId, ...change } };
    }
  }
}

export function deleteType(
  type: ReferenceType | undefined,
  expectedRevision: number | undefined,
): Decision<ReferenceTypeEvent, { name: string }> {
  const current = requireExpectedRevision(requireType(type), expectedRevision, 'type');
  if (current.dataSetIds.length > 0) {
    throw new Refusal('TYPE_IN_USE', WORDS.typeInUse, { dataSets: current.dataSetIds.length });
  }
  return { events: [{ type: 'ReferenceTypeDeleted', data: {} }], result: { name: current.name } };
}
