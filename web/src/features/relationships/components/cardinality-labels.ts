/** Texts for cardinalities and for numbers of values. */
import type { Cardinality } from '@rdm/contracts/relationships/relationships';
import { formatNumber } from '../../../lib/number-format.ts';

export const CARDINALITY_RULES: Record<Cardinality, string> = {
  ONE_TO_ONE: 'Each source row has at most one target; each target row has at most one source.',
  ONE_TO_MANY: 'A source row may have many targets; each target row has at most one source.',
  MANY_TO_ONE: 'Each source row has at most one target; a target row may have many sources.',
  MANY_TO_MANY: 'A source row may have many targets; a target row may have many sources.',
};

export const valuesText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'value' : 'values'}`;
