/** Merges concurrent edits of one mapping: a confidence belongs to its target, so both are one field. */
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { type Merge, mergeEdits } from '../../../../lib/conflict/index.ts';

export type Edit = Pick<MappingView, 'targetValue' | 'confidence'>;

export const editOf = ({ targetValue, confidence }: Edit): Edit => ({ targetValue, confidence });

/** The edit as one field. */
interface Whole {
  mapping: string;
}

const wholeOf = ({ targetValue, confidence }: Edit): Whole => ({
  mapping: `${targetValue}, confidence ${confidence}`,
});

export interface Meeting {
  /** The merged edit, if there is no overlap. */
  edit: Edit;
  overlaps: Merge<Whole>['overlaps'];
}

/** Merges the edit of the user with the stored mapping, given the version that the user edited. */
export function meet(base: Edit, mine: Edit, theirs: Edit): Meeting {
  const { merged, overlaps } = mergeEdits(wholeOf(base), wholeOf(mine), wholeOf(theirs));
  return { edit: editOf(merged.mapping === wholeOf(mine).mapping ? mine : theirs), overlaps };
}
