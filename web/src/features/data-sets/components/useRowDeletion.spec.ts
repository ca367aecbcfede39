/** Specifies what is told before rows are deleted: of one row as of one, of many as of many. */
import { expect, it } from 'vitest';
import { deletionOf } from './useRowDeletion.tsx';

it('speaks of one row as of one', () => {
  expect(deletionOf(1, 0)).toBe('It leaves the data set, and you can undo it right after. Its history stays.');
  expect(deletionOf(1, 1)).toMatch(/Its history stays\. One mapping or relationship speaks of it: it will be/);
});

it('speaks of many as of many', () => {
  expect(deletionOf(2, undefined)).toBe(
    'They leave the data set, and you can undo it right after. Their history stays.' +
      ' Mappings and relationships that speak of them will be shown as broken.',
  );
  expect(deletionOf(3, 1200)).toMatch(/1,200 mappings and relationships speak of them/);
});
