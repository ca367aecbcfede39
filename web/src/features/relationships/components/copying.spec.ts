/** Specifies which values a copy with other rules holds: of those that cannot stand beside each other, the first. */
import type { Cardinality } from '@rdm/contracts/relationships';
import { describe, expect, it } from 'vitest';
import { sortedByRules } from './copying.ts';

const pair = (sourceInstanceId: number, targetInstanceId: number) => ({ sourceInstanceId, targetInstanceId });
const values = [pair(1, 10), pair(1, 11), pair(2, 10), pair(3, 3)];
const violating = (cardinality: Cardinality, refusesSelf = false) =>
  sortedByRules(values, { cardinality, refusesSelf }).violations;

describe('a copy', () => {
  it('holds everything where any number may stand on both sides', () => {
    expect(violating('MANY_TO_MANY')).toEqual([]);
    expect(sortedByRules(values, { cardinality: 'MANY_TO_MANY', refusesSelf: false }).kept).toEqual(values);
  });

  it('names the value that another cannot stand beside', () => {
    expect(violating('MANY_TO_ONE')).toEqual([{ value: pair(1, 11), beside: pair(1, 10) }]);
    expect(violating('ONE_TO_MANY')).toEqual([{ value: pair(2, 10), beside: pair(1, 10) }]);
    expect(violating('ONE_TO_ONE').map(({ value }) => value)).toEqual([pair(1, 11), pair(2, 10)]);
  });

  it('leaves out rows related to themselves where that is not allowed', () => {
    expect(violating('MANY_TO_MANY', true)).toEqual([{ value: pair(3, 3), beside: undefined }]);
  });

  it('counts what was kept alone: what was left out stands in nobody’s way', () => {
    const chain = [pair(1, 10), pair(1, 11), pair(2, 11)];
    expect(sortedByRules(chain, { cardinality: 'ONE_TO_ONE', refusesSelf: false }).kept).toEqual([
      pair(1, 10),
      pair(2, 11),
    ]);
  });
});
