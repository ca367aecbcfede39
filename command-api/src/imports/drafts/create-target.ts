/** Creates the type, the collection and the data set of an import, within the command that starts the import. */
import {
  type CreateCollection,
  type CreateDataSet,
  type DefineReferenceType,
  type DraftTarget,
  type Level,
  Refusal,
} from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import type { Execution } from '../../runtime/execution.ts';
import type { ReadyDraft } from './draft-target.ts';

/** Creates and deletes entities of other modules within a command. */
export interface Creators {
  defineType: (x: Execution, body: DefineReferenceType) => Promise<number>;
  deleteType: (x: Execution, id: number) => Promise<void>;
  createCollection: (x: Execution, body: CreateCollection) => Promise<number>;
  createDataSet: (x: Execution, body: CreateDataSet, collectionLevel: Level) => Promise<number>;
}

type NewDataSet = Extract<DraftTarget, { kind: 'newDataSet' }>;

/**
 * Creates the data set of a draft, and its type and collection if they are new. Returns the id of the data set. If a
 * step is refused, deletes the new type; the new collection stays.
 */
export async function createTarget(
  x: Execution,
  target: NewDataSet,
  { resolved: { columns } }: ReadyDraft,
  { defineType, deleteType, createCollection, createDataSet }: Creators,
): Promise<number> {
  await requireAbilities(x, target);
  const usedColumns = columns.flatMap(({ field, ...column }) => (field ? [{ ...column, name: field.name }] : []));
  const labelColumn = usedColumns.find(({ isLabel }) => isLabel);
  const typeName = target.typeName ?? target.name;
  const schemas = usedColumns.map(({ name, dataType, isKey }) => ({ name, dataType, isPrimaryKey: isKey }));
  const typeId =
    target.typeId ??
    (await defineType(x, { name: typeName, description: '', schemas }).catch((error: unknown) => {
      throw isNameTaken(error) ? typeNameTakenRefusal(typeName) : error;
    }));
  try {
    const collectionId =
      target.newCollection === undefined
        ? target.collectionId
        : await createCollection(x, { name: target.newCollection, description: '', tags: [] });
    return await createDataSet(
      x,
      {
        name: target.name,
        description: '',
        typeId,
        collectionIds: collectionId === undefined ? [] : [collectionId],
        isPublic: false,
        ...(labelColumn ? { labelField: labelColumn.name } : {}),
      },
      'ADMIN',
    );
  } catch (error) {
    if (error instanceof Refusal && target.typeId === undefined) await deleteType(x, typeId);
    throw error;
  }
}

const isNameTaken = (error: unknown): boolean => error instanceof Refusal && error.code === 'NAME_TAKEN';

/** The message contains the word "type", because the data set of the same import often has the same name. */
const typeNameTakenRefusal = (name: string) =>
  new Refusal('NAME_TAKEN', `A type with the name "${name}" exists: use it, or choose another name for the new type`, {
    name,
  });

/** Throws before anything is created if the user lacks the ability to create one of the entities. */
async function requireAbilities(x: Execution, { typeId, newCollection }: NewDataSet): Promise<void> {
  const [access, actor] = [await x.access.current(), await x.actor()];
  requireRole({ ability: 'dataSets.create' }, access, actor);
  if (typeId === undefined) requireRole({ ability: 'types.write' }, access, actor);
  if (newCollection !== undefined) requireRole({ ability: 'collections.create' }, access, actor);
}
