/** Two edits of one mapping: a confidence is that of its target, so that the two of different people never become one. */
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { type Merge, merge } from '../../../../lib/conflict/index.ts';

export type Edit = Pick<MappingView, 'targetValue' | 'confidence'>;

export const editOf = ({ targetValue, confidence }: Edit): Edit => ({ targetValue, confidence });

/** An edit as one field. */
interface Whole {
  mapping: string;
}

const wholeOf = ({ targetValue, confidence }: Edit): Whole => ({
  mapping: `${targetValue}, confidence ${confidence}`,
});

export interface Meeting {
  /** What stands where nobody need be asked. */
  edit: Edit;
  overlaps: Merge<Whole>['overlaps'];
}

/** What the person saw, what they wrote, and what is stored now. */
export function meet(base: Edit, mine: Edit, theirs: Edit): Meeting {
  const { merged, overlaps } = merge(wholeOf(base), wholeOf(mine), wholeOf(theirs));
  return { edit: editOf(merged.mapping === wholeOf(mine).mapping ? mine : theirs), overlaps };
}
