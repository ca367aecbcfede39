/** Specifies how columns share a narrow screen: whole ones only. */
import { describe, expect, it } from 'vitest';
import { filling } from './narrow-columns.ts';
import type { GridColumn } from './types.ts';

const column = (id: string, size: Partial<GridColumn<unknown>>): GridColumn<unknown> => ({
  id,
  header: id,
  cell: () => id,
  ...size,
});
const code = column('code', { width: 160 });
const name = column('name', { minWidth: 160 });
const updated = column('updated', { width: 176 });
const widths = (columns: readonly GridColumn<unknown>[], room: number) =>
  filling(columns, room).map(({ width }) => width);

describe('on a narrow screen', () => {
  it('what fits stays as it is', () => {
    expect(filling([code, name], 320)).toEqual([code, name]);
  });

  it('one more column is squeezed in, and what comes after it begins where the screen ends', () => {
    expect(widths([code, name, updated], 266)).toEqual([133, 133, 176]);
  });

  it('a column that would be squeezed too much waits outside, and the others take its room', () => {
    expect(widths([code, name, updated], 230)).toEqual([230, undefined, 176]);
  });

  it('a first column that is wider than the screen is as wide as the screen', () => {
    expect(widths([column('text', { minWidth: 400 }), code], 266)).toEqual([266, 160]);
  });

  it('parts of pixels are not lost: the room is filled', () => {
    const shared = widths([column('a', { width: 101 }), column('b', { width: 102 }), column('c', { width: 103 })], 266);
    expect(shared.reduce<number>((sum, width = 0) => sum + width, 0)).toBe(266);
  });

  it('without a room nothing is reckoned', () => {
    expect(filling([code, name], 0)).toEqual([code, name]);
  });
});
