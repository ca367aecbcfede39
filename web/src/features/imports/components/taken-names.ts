/** Checks before the import starts whether the names of the new type and the new collection are taken. */
import type { ChangeDraft, DraftTarget, ImportDraft } from '@rdm/contracts/imports/drafts';
import { normaliseName } from '@rdm/contracts/text/names';
import { useQuery } from '@tanstack/react-query';
import { collectionChoicesQuery, typeChoicesQuery } from '../../../lib/data-sets/index.ts';

export type NewDataSet = Extract<DraftTarget, { kind: 'newDataSet' }>;

export interface NameProblems {
  /** Why the name of the new type cannot be used. */
  type?: string;
  /** The id of the existing type that has the name. */
  typeId?: number;
  /** Why the name of the new collection cannot be used. */
  collection?: string;
}

/**
 * The problems with the names. The names of collections that the user cannot read are unknown here: the server checks
 * them when the import starts.
 */
export function useNameProblems(target: DraftTarget): NameProblems {
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
      type: `A type "${type.name}" exists already: choose this type or enter another name`,
      typeId: type.id,
    }),
    ...(collection !== undefined && {
      collection: `A collection "${collection.name}" exists already: choose this collection or enter another name`,
    }),
  };
}

/** Returns the target with an existing type or, without `typeId`, with a new type. */
export function withType({ typeId: _, typeName: __, ...rest }: NewDataSet, typeId: number | undefined): NewDataSet {
  return typeId === undefined ? rest : { ...rest, typeId };
}

/** Returns a function that changes the new data set of a draft, or `displayed` while the draft has no new data set. */
export const changeOfNewDataSet =
  (displayed: NewDataSet, changeTarget: (target: NewDataSet) => NewDataSet) =>
  ({ settings: { target } }: ImportDraft): ChangeDraft => ({
    target: changeTarget(target?.kind === 'newDataSet' ? target : displayed),
  });
