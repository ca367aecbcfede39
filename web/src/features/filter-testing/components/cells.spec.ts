/** Specifies how rows of any list are shown. */
import { expect, it } from 'vitest';
import { cellsOf } from './cells.ts';

it('shows an instance’s cells beside what every row has, and every column any row has', () =>
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
