/** Specifies how two edits of one mapping meet. */
import { describe, expect, it } from 'vitest';
import { meet } from './mapping-edits.ts';

const seen = { targetValue: 'VUT', confidence: 100 };

describe('two edits of one mapping', () => {
  it('are asked about where one chose a target and the other a confidence', () => {
    const mine = { ...seen, confidence: 44 };
    const theirs = { targetValue: 'FRA', confidence: 100 };
    expect(meet(seen, mine, theirs).overlaps).toEqual([
      {
        field: 'mapping',
        base: 'VUT, confidence 100',
        mine: 'VUT, confidence 44',
        theirs: 'FRA, confidence 100',
      },
    ]);
  });

  it('are one where only one of them changed anything', () => {
    const changed = { targetValue: 'FRA', confidence: 44 };
    expect(meet(seen, changed, seen)).toEqual({ edit: changed, overlaps: [] });
    expect(meet(seen, seen, changed)).toEqual({ edit: changed, overlaps: [] });
  });

  it('agree where both wrote the same', () => {
    const changed = { targetValue: 'FRA', confidence: 44 };
    expect(meet(seen, changed, { ...changed })).toEqual({ edit: changed, overlaps: [] });
  });
});
