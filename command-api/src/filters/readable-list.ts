/** Checks that the actor can read a list, and resolves the fields of its data set. */
import {
  activeFields,
  type FieldIds,
  fieldNamesIn,
  INSTANCE_FIELDS,
  isAdministrator,
  type Level,
  type ListView,
  listKind,
  listSubject,
  Refusal,
  streams,
  type TypeField,
} from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import { dataSetFor } from '../runtime/authorise.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import type { ConfiguredField } from './decider.ts';

/** Returns the ids of the source and target data sets; undefined for a missing or deleted parent. */
async function joinedDataSets(
  x: Execution,
  parentKind: 'crosswalk' | 'relationship',
  id: number,
): Promise<number[] | undefined> {
  if (parentKind === 'crosswalk') {
    const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
    return state && !state.deleted ? [state.value.sourceSystemId, state.value.targetSystemId] : undefined;
  }
  const { state } = await x.load(kinds.relationship, streams.relationship(id));
  return state && !state.deleted ? [state.value.sourceDataSetId, state.value.targetDataSetId] : undefined;
}

/**
 * Returns the ids of the data sets on which readers of the list need `level`; empty if a role gives access to the list.
 * Throws a `Refusal` if the list does not exist, or the actor lacks `level` or the role.
 */
export async function requireReadable(x: Execution, entity: string, level: Level): Promise<number[]> {
  const subject = listSubject(entity);
  if (!subject) throw new Refusal('INVALID', `There is no list “${entity}”`);
  const { route, of: parentKind } = listKind(subject.list);
  const id = subject.subjectId ?? 0;
  if (parentKind === 'data-set') {
    await dataSetFor(x, id, level);
    return [id];
  }
  if (parentKind !== undefined) {
    const notFound = new Refusal('NOT_FOUND', `This ${parentKind} does not exist`);
    const dataSetIds = await joinedDataSets(x, parentKind, id);
    if (!dataSetIds) throw notFound;
    for (const dataSetId of dataSetIds) {
      await dataSetFor(x, dataSetId, level).catch((error: unknown) => {
        throw error instanceof Refusal ? notFound : error;
      });
    }
    return dataSetIds;
  }
  requireRole({ route: route ?? '/' }, await x.access.current(), await x.actor());
  return [];
}

/** Whether the actor is currently an administrator. */
export const actsAsAdministrator = async (x: Execution): Promise<boolean> =>
  isAdministrator(await x.access.current(), await x.actor());

/** Returns the active fields of the data set whose rows the list shows; undefined if the list shows no rows. */
async function fieldsOf(x: Execution, entity: string): Promise<TypeField[] | undefined> {
  const subject = listSubject(entity);
  if (subject?.list !== 'data-set') return undefined;
  const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(subject.subjectId ?? 0));
  const { state: type } = await x.load(kinds.referenceType, streams.referenceType(dataSet?.typeId ?? 0));
  return type ? activeFields(type) : [];
}

/** Returns the ids of the data set's fields in the view, by field name. */
export async function fieldIdsIn(x: Execution, entity: string, view: ListView): Promise<FieldIds> {
  const names = new Set(fieldNamesIn(view));
  const fields = (await fieldsOf(x, entity)) ?? [];
  return Object.fromEntries(fields.filter(({ name }) => names.has(name)).map(({ name, fieldId }) => [name, fieldId]));
}

/**
 * Returns the data set's field with this name; undefined for a name in `INSTANCE_FIELDS`, or if the list shows no rows
 * of a data set. Throws a `Refusal` for an unknown name.
 */
export async function configuredField(
  x: Execution,
  entity: string,
  name: string,
): Promise<ConfiguredField | undefined> {
  const fields = await fieldsOf(x, entity);
  if (fields === undefined) return undefined;
  const field = fields.find((each) => each.name === name);
  if (!field && !INSTANCE_FIELDS.includes(name)) {
    throw new Refusal('INVALID', `There is no field “${name}” in this data set`);
  }
  return field;
}
