/** The words for the cardinality of a definition, and for the result of a crosswalk for an unmapped value. */
import type { Unmapped } from '@rdm/contracts/crosswalks/crosswalks';
import type { Cardinality } from '@rdm/contracts/relationships/relationships';

export const CARDINALITY_WORDS: Record<Cardinality, string> = {
  ONE_TO_ONE: 'One to one',
  ONE_TO_MANY: 'One to many',
  MANY_TO_ONE: 'Many to one',
  MANY_TO_MANY: 'Many to many',
};

export const UNMAPPED_WORDS: Record<Unmapped['yields'], string> = {
  NOTHING: 'Nothing',
  SOURCE_VALUE: 'The value itself',
  FIXED: 'A fixed value',
};
