/** What a crosswalk states, in words: its cardinality, and what an unmapped value yields. */
import type { CrosswalkCardinality, CrosswalkView, Unmapped } from '@rdm/contracts/crosswalks/crosswalks';
import { grouped } from '../../../../lib/number-format.ts';
import type { Statistics } from '../../api/crosswalks.ts';

export const CARDINALITY_WORDS: Record<CrosswalkCardinality, string> = {
  ONE_TO_ONE: 'One to one',
  MANY_TO_ONE: 'Many to one',
  ONE_TO_MANY: 'One to many',
  MANY_TO_MANY: 'Many to many',
};

export const CARDINALITY_RULES: Record<CrosswalkCardinality, string> = {
  ONE_TO_ONE: 'Each source value is meant to have one target, each target one source.',
  MANY_TO_ONE: 'Each source value is meant to have one target; a target may have many sources.',
  ONE_TO_MANY: 'A source value may have many targets; each target is meant to have one source.',
  MANY_TO_MANY: 'Any number on both sides.',
};

export const UNMAPPED_WORDS: Record<Unmapped['yields'], string> = {
  NOTHING: 'Nothing',
  SOURCE_VALUE: 'The value itself',
  FIXED: 'A fixed value',
};

/** The same of one crosswalk, with the value that is fixed. */
export const unmappedText = (unmapped: Unmapped): string =>
  unmapped.yields === 'FIXED' ? `${UNMAPPED_WORDS.FIXED}: ${unmapped.value}` : UNMAPPED_WORDS[unmapped.yields];

/** Whether a source value with several targets departs from what is stated. */
export const meansOneTarget = (cardinality: CrosswalkCardinality): boolean =>
  cardinality === 'ONE_TO_ONE' || cardinality === 'MANY_TO_ONE';
export const meansOneSource = (cardinality: CrosswalkCardinality): boolean =>
  cardinality === 'ONE_TO_ONE' || cardinality === 'ONE_TO_MANY';

/** What of the served values departs from the stated cardinality; undefined where nothing does. */
export function departure(
  { cardinality }: Pick<CrosswalkView, 'cardinality'>,
  { ambiguousSources, ambiguousTargets }: Pick<Statistics, 'ambiguousSources' | 'ambiguousTargets'>,
): string | undefined {
  const told = [
    meansOneTarget(cardinality) && ambiguousSources > 0
      ? `${grouped(ambiguousSources)} source ${ambiguousSources === 1 ? 'value has' : 'values have'} several targets`
      : undefined,
    meansOneSource(cardinality) && ambiguousTargets > 0
      ? `${grouped(ambiguousTargets)} ${ambiguousTargets === 1 ? 'target has' : 'targets have'} several sources`
      : undefined,
  ].filter((words) => words !== undefined);
  return told.length === 0
    ? undefined
    : `Stated as ${CARDINALITY_WORDS[cardinality].toLowerCase()}, but ${told.join(' and ')}.`;
}
