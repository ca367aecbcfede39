/** Lists that the actor may read: a saved filter is for them, and a configuration of one cannot be made blindly. */
import {
  activeFields,
  INSTANCE_FIELDS,
  isAdministrator,
  type Level,
  listKind,
  listSubject,
  Refusal,
  streams,
} from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import { dataSetFor } from '../authorise.ts';
import type { Execution } from '../execution.ts';
import { kinds } from '../kinds.ts';
import type { ConfiguredField } from './decider.ts';

const unknownCrosswalk = (error: unknown): never => {
  throw error instanceof Refusal ? new Refusal('NOT_FOUND', 'This crosswalk does not exist') : error;
};

/** Refuses a list that the actor may not read; answers the data sets that govern it. */
export async function requireReadable(x: Execution, entity: string, level: Level): Promise<number[]> {
  const subject = listSubject(entity);
  if (!subject) throw new Refusal('INVALID', `There is no list “${entity}”`);
  const { route, of } = listKind(subject.list);
  const id = subject.subjectId ?? 0;
  if (of === 'data-set') {
    await dataSetFor(x, id, level);
    return [id];
  }
  if (of === 'crosswalk') {
    const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(id));
    if (!crosswalk || crosswalk.deleted) throw new Refusal('NOT_FOUND', 'This crosswalk does not exist');
    const { sourceSystemId, targetSystemId } = crosswalk.value;
    for (const dataSetId of [sourceSystemId, targetSystemId]) {
      await dataSetFor(x, dataSetId, level).catch(unknownCrosswalk);
    }
    return [sourceSystemId, targetSystemId];
  }
  requireRole({ route: route ?? '/' }, await x.access.current(), await x.actor());
  return [];
}

/** Whether the actor is an administrator now. */
export const actsAsAdministrator = async (x: Execution): Promise<boolean> =>
  isAdministrator(await x.access.current(), await x.actor());

/** The field of a data set's type that has this name; undefined for what every row of a list has, or another list's. */
export async function configuredField(
  x: Execution,
  entity: string,
  name: string,
): Promise<ConfiguredField | undefined> {
  const subject = listSubject(entity);
  if (subject?.list !== 'data-set') return undefined;
  const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(subject.subjectId ?? 0));
  const { state: type } = await x.load(kinds.referenceType, streams.referenceType(dataSet?.typeId ?? 0));
  const field = type && activeFields(type).find((each) => each.name === name);
  if (!field && !INSTANCE_FIELDS.includes(name)) {
    throw new Refusal('INVALID', `There is no field “${name}” in this data set`);
  }
  return field;
}
