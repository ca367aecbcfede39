/** Tests concurrent edits of one mapping. */
import { describe, expect, it } from 'vitest';
import { mergeMappingEdits } from './mapping-edits.ts';

const base = { targetValue: 'VUT', confidence: 100 };

describe('concurrent edits of one mapping', () => {
  it('conflict if one user changed the target and the other the confidence', () => {
    const mine = { ...base, confidence: 44 };
    const theirs = { targetValue: 'FRA', confidence: 100 };
    expect(mergeMappingEdits(base, mine, theirs).overlaps).toEqual([
      {
        field: 'mapping',
        base: 'VUT, confidence 100',
        mine: 'VUT, confidence 44',
        theirs: 'FRA, confidence 100',
      },
    ]);
  });

  it('do not conflict if only one user changed anything', () => {
    const changed = { targetValue: 'FRA', confidence: 44 };
    expect(mergeMappingEdits(base, changed, base)).toEqual({ edit: changed, overlaps: [] });
    expect(mergeMappingEdits(base, base, changed)).toEqual({ edit: changed, overlaps: [] });
  });

  it('do not conflict if both users set the same values', () => {
    const changed = { targetValue: 'FRA', confidence: 44 };
    expect(mergeMappingEdits(base, changed, { ...changed })).toEqual({ edit: changed, overlaps: [] });
  });
});
