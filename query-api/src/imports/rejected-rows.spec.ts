/** Tests the files of rejected rows for imports of workbooks. */
import { describe, expect, it } from 'vitest';
import { fitsWorkbook } from '../http/workbook.ts';
import { rejectedWorkbookFormats } from './rejected-rows.ts';

const toHexadecimal = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('hex');
const { columns, workbook, table } = rejectedWorkbookFormats({
  ...{ encoding: 'utf-8', delimiter: ',', metadata: '', isWorkbook: true },
  header: toHexadecimal(['code', 'since', 'count', 'note']),
});
const row = {
  ...{ line: 17, isBroken: false },
  content: toHexadecimal(['0033', { date: '2025-12-31' }, 12.5, '', 'more']),
  flaws: [{ column: 'count', value: '12.5', rule: 'The number is too large', fix: 'Make it smaller' }],
};
const REASON = 'Row 17: count: The number is too large. Make it smaller.';

describe('the rejected rows of a workbook', () => {
  it('keep the number formats of their cells', () => {
    const formatted = [
      { number: 7, format: '00000' },
      { date: '2025-12-31', format: 'dd.mm.yyyy' },
    ];
    const content = toHexadecimal(formatted);
    expect(workbook.cells({ ...row, content }).slice(1)).toEqual([
      { number: 7, numberFormat: '00000' },
      { number: new Date('2025-12-31T00:00:00Z'), numberFormat: 'dd.mm.yyyy' },
    ]);
    expect(table.row({ ...row, content }, true)).toBe(`${REASON},7,2025-12-31\r\n`);
  });

  it('have typed cells after the column of reasons', () => {
    expect(columns).toBe(5);
    expect(workbook.columns.map(({ name }) => name)).toEqual(['rdm:reason', 'code', 'since', 'count', 'note']);
    const date = new Date('2025-12-31T00:00:00Z');
    expect(workbook.cells(row)).toEqual([REASON, '0033', date, 12.5, null, 'more']);
  });

  it('can be written as CSV', () => {
    expect(table.head).toBe('rdm:reason,code,since,count,note\r\n');
    expect(table.row(row, true)).toBe(`${REASON},0033,2025-12-31,12.5,,more\r\n`);
  });

  it.each([
    ['the maximum number of cells', { rows: 40_000, columns: 5, characters: 1, longest: 1 }, true],
    ['more than the maximum number of cells', { rows: 40_001, columns: 5, characters: 1, longest: 1 }, false],
    ['too many characters', { rows: 1, columns: 5, characters: 8_000_001, longest: 1 }, false],
    ['too long a cell', { rows: 1, columns: 5, characters: 40_000, longest: 32_768 }, false],
  ])('fit a workbook only within its limits: %s', (_, size, fits) => {
    expect(fitsWorkbook(size)).toBe(fits);
  });
});
