/** Specifies the limit of the rows of one file. */
import { expect, it } from 'vitest';
import { IMPORTED_ROWS_MAX, requireNotTooManyRows } from './row-imports.ts';

it('refuses a file with more rows than one import may have', () => {
  requireNotTooManyRows(IMPORTED_ROWS_MAX);
  expect(() => requireNotTooManyRows(IMPORTED_ROWS_MAX + 1)).toThrow(
    'The file has more than 500,000 rows: import it in parts',
  );
});
