/** Tests unsaved edits after their fields were renamed, swapped or removed. */
import { describe, expect, it } from 'vitest';
import { Edits, type ReadRow } from './edits.ts';
import { fieldIdsOf, renamesOf, renamesText, withFieldNames } from './field-renames.ts';

const BEFORE = [
  { fieldId: 1, name: 'code' },
  { fieldId: 2, name: 'caption' },
  { fieldId: 3, name: 'note' },
];
const SWAPPED = [
  { fieldId: 1, name: 'code' },
  { fieldId: 2, name: 'note' },
  { fieldId: 3, name: 'caption' },
];
const ROW: ReadRow = { id: 64, key: 'T', revision: 3, data: { code: 'T', caption: 'T3', note: null } };

function typedEdits(): Edits {
  const edits = new Edits({ names: fieldIdsOf(BEFORE), rows: [], unreadable: [] });
  edits.edit({ row: ROW, cells: { caption: 'typed' } });
  edits.keepInvalidText({ row: ROW, field: 'note', text: 'no number', reason: 'is not a number' });
  return edits;
}
const renamedTo = (fields: typeof BEFORE) => new Edits(withFieldNames(typedEdits().snapshot(), fieldIdsOf(fields)));

describe('edits', () => {
  it('move to the new name of their field, with their base value', () => {
    const edits = renamedTo(SWAPPED);
    expect(edits.startSending(10)).toEqual([{ id: 64, revision: 3, data: { note: 'typed' } }]);
    expect(edits.rowEdit(64)?.base).toEqual({ note: 'T3' });
    expect(edits.invalidText(64, 'caption')?.text).toBe('no number');
    expect(edits.invalidText(64, 'note')).toBeUndefined();
  });

  it('become invalid texts if their field was removed', () => {
    const edits = renamedTo([
      { fieldId: 1, name: 'code' },
      { fieldId: 4, name: 'caption' },
    ]);
    expect(edits.startSending(10)).toEqual([]);
    expect(edits.mark(64, 'caption')).toBeUndefined();
    expect(edits.invalidTexts()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          field: 'caption (removed)',
          text: 'typed',
          reason: 'This field was removed in the meantime',
        }),
        expect.objectContaining({ field: 'note (removed)', text: 'no number' }),
      ]),
    );
    // A second rename must not add "(removed)" again.
    expect(
      withFieldNames(edits.snapshot(), fieldIdsOf(SWAPPED))
        .unreadable.map(({ field }) => field)
        .sort(),
    ).toEqual(['caption (removed)', 'note (removed)']);
  });
});

describe('a change of the fields', () => {
  it('is reported unless it only adds fields', () => {
    expect(renamesOf(BEFORE, [...BEFORE, { fieldId: 4, name: 'more' }])).toBeUndefined();
    const after = [
      { fieldId: 1, name: 'code' },
      { fieldId: 2, name: 'heading' },
    ];
    const renames = renamesOf(BEFORE, after);
    expect(renames).toEqual({ renamed: [{ from: 'caption', to: 'heading' }], removed: ['note'] });
    expect(renames && renamesText(renames)).toBe('“caption” is called “heading” now, “note” was removed.');
  });
});
