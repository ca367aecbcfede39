/** Tests the display of rows of any list. */
import { expect, it } from 'vitest';
import { cellsOf } from './cells.ts';

it('the table has a column for each property of any row, and for each instance field in place of `data`', () =>
  expect(
    cellsOf([
      { id: 1, data: { code: '007', rank: null } },
      { id: 2, tags: ['a'], data: { code: 'x' } },
    ]),
  ).toEqual({
    columns: ['id', 'code', 'rank', 'tags'],
    rows: [
      ['1', '007', '', ''],
      ['2', 'x', '', '["a"]'],
    ],
  }));
