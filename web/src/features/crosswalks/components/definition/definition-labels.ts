/** Labels for the definition of a crosswalk: the cardinality and the result for an unmapped value. */
import type { CrosswalkCardinality, CrosswalkView, Unmapped } from '@rdm/contracts/crosswalks/crosswalks';
import { CARDINALITY_WORDS, UNMAPPED_WORDS } from '../../../../lib/definitions/words.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { Statistics } from '../../api/crosswalks.ts';

export const CARDINALITY_RULES: Record<CrosswalkCardinality, string> = {
  ONE_TO_ONE: 'Each source value should have one target, and each target one source.',
  MANY_TO_ONE: 'Each source value should have one target; a target may have many sources.',
  ONE_TO_MANY: 'A source value may have many targets; each target should have one source.',
  MANY_TO_MANY: 'A source value may have many targets; a target may have many sources.',
};

/** The result of a crosswalk for an unmapped value, with the fixed value if there is one. */
export const unmappedText = (unmapped: Unmapped): string =>
  unmapped.yields === 'FIXED' ? `${UNMAPPED_WORDS.FIXED}: ${unmapped.value}` : UNMAPPED_WORDS[unmapped.yields];

/** Whether each source value should have one target. */
export const meansOneTarget = (cardinality: CrosswalkCardinality): boolean =>
  cardinality === 'ONE_TO_ONE' || cardinality === 'MANY_TO_ONE';
/** Whether each target value should have one source. */
export const meansOneSource = (cardinality: CrosswalkCardinality): boolean =>
  cardinality === 'ONE_TO_ONE' || cardinality === 'ONE_TO_MANY';

/** Describes how many values break the cardinality; undefined if no value breaks it. */
export function cardinalityViolation(
  { cardinality }: Pick<CrosswalkView, 'cardinality'>,
  { ambiguousSources, ambiguousTargets }: Pick<Statistics, 'ambiguousSources' | 'ambiguousTargets'>,
): string | undefined {
  const parts = [
    meansOneTarget(cardinality) && ambiguousSources > 0
      ? `${formatNumber(ambiguousSources)} source ${ambiguousSources === 1 ? 'value has' : 'values have'} several targets`
      : undefined,
    meansOneSource(cardinality) && ambiguousTargets > 0
      ? `${formatNumber(ambiguousTargets)} ${ambiguousTargets === 1 ? 'target has' : 'targets have'} several sources`
      : undefined,
  ].filter((words) => words !== undefined);
  return parts.length === 0
    ? undefined
    : `The cardinality is ${CARDINALITY_WORDS[cardinality].toLowerCase()}, but ${parts.join(' and ')}.`;
}
