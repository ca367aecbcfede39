/** Tests how the width of a list is distributed over its columns. */
import { describe, expect, it } from 'vitest';
import type { GridColumn } from '../types.ts';
import { type ColumnSize, distributeNarrowWidth, distributeWidth, needOf } from './column-fit.ts';

const column = (size: Partial<GridColumn<unknown>>): GridColumn<unknown> => ({
  id: 'column',
  header: 'Column',
  cell: () => '',
  ...size,
});
const size = (sizes: Partial<ColumnSize>): ColumnSize => ({
  content: undefined,
  word: undefined,
  header: 0,
  wrappedHeader: 0,
  ...sizes,
});
const need = (min: number, preferred = min, grows = false, narrowMin = grows ? min * 0.75 : min) => ({
  ...{ min, narrowMin, preferred, grows },
});
const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width, 0);

describe('the width a column needs', () => {
  it('is its declared width until rows are measured', () => {
    expect(needOf(column({ width: 84 }), size({}))).toEqual(need(84));
  });

  it('is at least that of the header on two lines, and preferably that of the header on one line', () => {
    const header = size({ content: 40, header: 130, wrappedHeader: 80 });
    expect(needOf(column({ width: 60 }), header)).toEqual(need(80, 130));
  });

  it('is the width of the whole content if the content is short', () => {
    expect(needOf(column({ width: 108 }), size({ content: 140 }))).toEqual(need(140));
  });

  it('is the declared minimum width for long text, and less on a narrow screen', () => {
    expect(needOf(column({ minWidth: 160 }), size({ content: 900 }))).toEqual(need(160, 480, true, 120));
  });

  it('is not less than the longest word of wrapping text', () => {
    expect(needOf(column({ minWidth: 96 }), size({ content: 300, word: 130 }))).toEqual(need(130, 300, true, 130));
  });

  it('is smaller for wrapping text on a narrow screen', () => {
    expect(needOf(column({ minWidth: 200 }), size({ content: 300, word: 90 }))).toEqual(need(200, 300, true, 150));
    expect(needOf(column({ width: 160 }), size({ content: 190, word: 90 }))).toEqual(need(160, 190, false, 120));
  });
});

describe('distribution', () => {
  it('gives the remaining width to text columns', () => {
    expect(distributeWidth([need(100), need(50, 200, true)], 500)).toEqual([100, 400]);
  });

  it('gives the remaining width to all columns if none contains text', () => {
    expect(distributeWidth([need(100), need(300)], 800)).toEqual([200, 600]);
  });

  it('gives each column the same share of its preferred extra width if the preferred widths do not fit', () => {
    expect(distributeWidth([need(100), need(100, 300, true), need(100, 200, true)], 450)).toEqual([100, 200, 150]);
  });

  it('does not go below the minimum width on a narrow list', () => {
    expect(distributeWidth([need(100, 300), need(200)], 150)).toEqual([100, 200]);
  });

  it('narrows text columns only if all columns then fit', () => {
    expect(distributeWidth([need(200, 200, true), need(100)], 270)).toEqual([170, 100]);
    expect(distributeWidth([need(200, 200, true), need(100)], 240)).toEqual([200, 100]);
  });

  it('fills the width to the pixel', () => {
    expect(sum(distributeWidth([need(101, 101, true), need(102, 102, true), need(103, 103, true)], 1_000))).toBe(1_000);
  });
});

describe('distribution on a narrow screen', () => {
  const [code, name, updated] = [need(100), need(160, 480, true), need(176)];

  it('narrows text so that one more column is visible', () => {
    expect(distributeNarrowWidth([code, name, updated], 225)).toEqual([100, 125, 176]);
  });

  it('fills the width with the columns that fit', () => {
    expect(distributeNarrowWidth([code, name, updated], 210)).toEqual([210, 160, 176]);
  });

  it('makes a first column that does not fit as wide as the screen', () => {
    expect(distributeNarrowWidth([need(400), code], 266)).toEqual([266, 100]);
  });
});
