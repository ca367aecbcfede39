/** Tests edits whose fields are renamed, swapped or removed in the meantime. */
import { describe, expect, it } from 'vitest';
import { Edits, type ReadRow } from './edits.ts';
import { namesOf, renamesOf, renamesText, withFieldNames } from './field-renames.ts';

const BEFORE = [
  { fieldId: 1, name: 'code' },
  { fieldId: 2, name: 'caption' },
  { fieldId: 3, name: 'note' },
];
const EXCHANGED = [
  { fieldId: 1, name: 'code' },
  { fieldId: 2, name: 'note' },
  { fieldId: 3, name: 'caption' },
];
const ROW: ReadRow = { id: 64, key: 'T', revision: 3, data: { code: 'T', caption: 'T3', note: null } };

function typed(): Edits {
  const edits = new Edits({ names: namesOf(BEFORE), rows: [], unreadable: [] });
  edits.edit({ row: ROW, cells: { caption: 'typed' } });
  edits.keepUnreadable({ row: ROW, field: 'note', text: 'no number', reason: 'is not a number' });
  return edits;
}
const renamedTo = (fields: typeof BEFORE) => new Edits(withFieldNames(typed().snapshot(), namesOf(fields)));

describe('edits', () => {
  it('get the new name of their field, and keep the value before the edit', () => {
    const edits = renamedTo(EXCHANGED);
    expect(edits.startSending(10)).toEqual([{ id: 64, revision: 3, data: { note: 'typed' } }]);
    expect(edits.of(64)?.base).toEqual({ note: 'T3' });
    expect(edits.unreadable(64, 'caption')?.text).toBe('no number');
    expect(edits.unreadable(64, 'note')).toBeUndefined();
  });

  it('of a removed field are kept as text and not sent, even if another field gets the name of that field', () => {
    const edits = renamedTo([
      { fieldId: 1, name: 'code' },
      { fieldId: 4, name: 'caption' },
    ]);
    expect(edits.startSending(10)).toEqual([]);
    expect(edits.mark(64, 'caption')).toBeUndefined();
    expect(edits.unreadables()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          field: 'caption (removed)',
          text: 'typed',
          reason: 'This field was removed in the meantime',
        }),
        expect.objectContaining({ field: 'note (removed)', text: 'no number' }),
      ]),
    );
    // Renames again: the text of the removed field must not get the message of a second removal.
    expect(
      withFieldNames(edits.snapshot(), namesOf(EXCHANGED))
        .unreadable.map(({ field }) => field)
        .sort(),
    ).toEqual(['caption (removed)', 'note (removed)']);
  });
});

describe('renames', () => {
  it('and removals are reported; added fields are not', () => {
    expect(renamesOf(BEFORE, [...BEFORE, { fieldId: 4, name: 'more' }])).toBeUndefined();
    const now = [
      { fieldId: 1, name: 'code' },
      { fieldId: 2, name: 'heading' },
    ];
    const renames = renamesOf(BEFORE, now);
    expect(renames).toEqual({ renamed: [{ from: 'caption', to: 'heading' }], removed: ['note'] });
    expect(renames && renamesText(renames)).toBe('“caption” is called “heading” now, “note” was removed.');
  });
});
