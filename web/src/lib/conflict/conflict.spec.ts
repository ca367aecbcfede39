/** Tests the merge of concurrent edits. */
import { describe, expect, it } from 'vitest';
import { mergeEdits } from './index.ts';

const base = { name: 'Country', description: 'old' };

describe('concurrent edits of one record', () => {
  it('are merged if they change different fields', () =>
    expect(mergeEdits(base, { ...base, name: 'Countries' }, { ...base, description: 'new' })).toEqual({
      merged: { name: 'Countries', description: 'new' },
      overlaps: [],
    }));

  it('do not overlap if both set the same value', () =>
    expect(mergeEdits(base, { ...base, name: 'X' }, { ...base, name: 'X' }).overlaps).toEqual([]));

  it('overlap if both set a field to different values', () =>
    expect(mergeEdits(base, { ...base, name: 'Mine' }, { ...base, name: 'Theirs' })).toEqual({
      merged: { name: 'Theirs', description: 'old' },
      overlaps: [{ field: 'name', base: 'Country', mine: 'Mine', theirs: 'Theirs' }],
    }));
});
