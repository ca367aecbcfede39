/** Finds out, before the import starts, whether the names of the new type and collection are taken. */
import type { ChangeDraft, DraftTarget, ImportDraft } from '@rdm/contracts/imports/drafts';
import { normaliseName } from '@rdm/contracts/text/names';
import { useQuery } from '@tanstack/react-query';
import { collectionChoicesQuery, typeChoicesQuery } from '../../../lib/data-sets/index.ts';

export type NewDataSet = Extract<DraftTarget, { kind: 'newDataSet' }>;

export interface TakenNames {
  type?: string;
  /** The id of the existing type with the name. */
  typeId?: number;
  collection?: string;
}

/** The problems with the names. Names of collections that the user may not read are only found when the import is started. */
export function useTakenNames(target: DraftTarget): TakenNames {
  const isNew = target.kind === 'newDataSet';
  const { data: types = [] } = useQuery({ ...typeChoicesQuery, enabled: isNew });
  const { data: collections = [] } = useQuery({ ...collectionChoicesQuery, enabled: isNew });
  if (!isNew) return {};
  const typeName = target.typeId === undefined ? (target.typeName ?? target.name) : undefined;
  const find = <Item extends { name: string }>(items: readonly Item[], name: string | undefined) =>
    name === undefined ? undefined : items.find((item) => normaliseName(item.name) === normaliseName(name));
  const type = find(types, typeName);
  const collection = find(collections, target.newCollection);
  return {
    ...(type !== undefined && {
      type: `A type "${type.name}" exists already: choose it as the type, or another name`,
      typeId: type.id,
    }),
    ...(collection !== undefined && {
      collection: `A collection "${collection.name}" exists already: choose it as the collection, or another name`,
    }),
  };
}

/** Returns the target with an existing type or, without `typeId`, with a new type. */
export function ofType({ typeId: _, typeName: __, ...rest }: NewDataSet, typeId: number | undefined): NewDataSet {
  return typeId === undefined ? rest : { ...rest, typeId };
}

/** Changes the new data set of the current draft; `displayed` is the default while the draft has none. */
export const changeOfNewDataSet =
  (displayed: NewDataSet, changed: (target: NewDataSet) => NewDataSet) =>
  ({ settings: { target } }: ImportDraft): ChangeDraft => ({
    target: changed(target?.kind === 'newDataSet' ? target : displayed),
  });
