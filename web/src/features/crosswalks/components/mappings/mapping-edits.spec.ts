/** Tests concurrent edits of one mapping. */
import { describe, expect, it } from 'vitest';
import { mergeMappingEdits } from './mapping-edits.ts';

const seen = { targetValue: 'VUT', confidence: 100 };

describe('concurrent edits of one mapping', () => {
  it('conflict where one changed the target and the other the confidence', () => {
    const mine = { ...seen, confidence: 44 };
    const theirs = { targetValue: 'FRA', confidence: 100 };
    expect(mergeMappingEdits(seen, mine, theirs).overlaps).toEqual([
      {
        field: 'mapping',
        base: 'VUT, confidence 100',
        mine: 'VUT, confidence 44',
        theirs: 'FRA, confidence 100',
      },
    ]);
  });

  it('do not conflict where only one of them changed anything', () => {
    const changed = { targetValue: 'FRA', confidence: 44 };
    expect(mergeMappingEdits(seen, changed, seen)).toEqual({ edit: changed, overlaps: [] });
    expect(mergeMappingEdits(seen, seen, changed)).toEqual({ edit: changed, overlaps: [] });
  });

  it('do not conflict where both set the same', () => {
    const changed = { targetValue: 'FRA', confidence: 44 };
    expect(mergeMappingEdits(seen, changed, { ...changed })).toEqual({ edit: changed, overlaps: [] });
  });
});
