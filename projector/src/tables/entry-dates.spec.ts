/** Tests the dates of list entries when the list changes. */
import { expect, it } from 'vitest';
import { withEntryDates } from './entry-dates.ts';

interface Field {
  id: number;
  name: string;
  uses: number;
}
const accessors = { idOf: ({ id }: Field) => id, contentOf: ({ name }: Field) => name };

it('sets both dates of a new entry, and only the change date of a changed entry', () => {
  const first = withEntryDates(undefined, [{ id: 1, name: 'code', uses: 0 }], accessors, 'Monday');
  expect(first).toEqual([{ id: 1, name: 'code', uses: 0, createdAt: 'Monday', updatedAt: 'Monday' }]);
  const second = withEntryDates(
    first,
    [
      { id: 1, name: 'key', uses: 0 },
      { id: 2, name: 'name', uses: 0 },
    ],
    accessors,
    'Tuesday',
  );
  expect(second).toMatchObject([
    { createdAt: 'Monday', updatedAt: 'Tuesday' },
    { createdAt: 'Tuesday', updatedAt: 'Tuesday' },
  ]);
});

it('keeps the dates of an entry whose content is unchanged', () => {
  const first = withEntryDates(undefined, [{ id: 1, name: 'code', uses: 0 }], accessors, 'Monday');
  expect(withEntryDates(first, [{ id: 1, name: 'code', uses: 1 }], accessors, 'Tuesday')).toEqual([
    { id: 1, name: 'code', uses: 1, createdAt: 'Monday', updatedAt: 'Monday' },
  ]);
});
