/** Tests the texts about the definition of a crosswalk. */
import { describe, expect, it } from 'vitest';
import { cardinalityViolation } from './definition-labels.ts';

describe('cardinalityViolation', () => {
  const ambiguousCounts = { ambiguousSources: 1, ambiguousTargets: 1_200 };
  it('counts the values on each side that violate the cardinality', () => {
    expect(cardinalityViolation({ cardinality: 'MANY_TO_ONE' }, ambiguousCounts)).toBe(
      'The cardinality is many to one, but 1 source value has several targets.',
    );
    expect(cardinalityViolation({ cardinality: 'ONE_TO_MANY' }, ambiguousCounts)).toBe(
      'The cardinality is one to many, but 1,200 targets have several sources.',
    );
    expect(cardinalityViolation({ cardinality: 'ONE_TO_ONE' }, ambiguousCounts)).toBe(
      'The cardinality is one to one, but 1 source value has several targets and 1,200 targets have several sources.',
    );
  });
  it('returns undefined if no value violates the cardinality', () => {
    expect(cardinalityViolation({ cardinality: 'MANY_TO_MANY' }, ambiguousCounts)).toBeUndefined();
    expect(
      cardinalityViolation({ cardinality: 'ONE_TO_ONE' }, { ambiguousSources: 0, ambiguousTargets: 0 }),
    ).toBeUndefined();
  });
});
