/**
 * Merges concurrent edits of one mapping. Target and confidence are merged as one field, because a confidence belongs
 * to its target.
 */
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { type Merge, mergeEdits } from '../../../../lib/conflict/index.ts';

export type Edit = Pick<MappingView, 'targetValue' | 'confidence'>;

export const editOf = ({ targetValue, confidence }: Edit): Edit => ({ targetValue, confidence });

interface MappingField {
  mapping: string;
}

const mappingField = ({ targetValue, confidence }: Edit): MappingField => ({
  mapping: `${targetValue}, confidence ${confidence}`,
});

export interface MergedEdit {
  /** The merged edit; valid only if `overlaps` is empty. */
  edit: Edit;
  overlaps: Merge<MappingField>['overlaps'];
}

/** Merges the user's edit `mine` with the stored mapping `theirs`; `base` is the version that the user edited. */
export function mergeMappingEdits(base: Edit, mine: Edit, theirs: Edit): MergedEdit {
  const { merged, overlaps } = mergeEdits(mappingField(base), mappingField(mine), mappingField(theirs));
  return { edit: editOf(merged.mapping === mappingField(mine).mapping ? mine : theirs), overlaps };
}
