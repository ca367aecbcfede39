import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATA_TYPES, parseCell } from '../../text/rows.ts';
import type { ColumnFormat } from '../column-formats.ts';
import { readCellValue } from './read-cell-value.ts';
import { shapeOf } from './shape-of.ts';

const KEEP: ColumnFormat = { blank: 'keep' };
const read = (text: string, type: (typeof DATA_TYPES)[number], format: Partial<ColumnFormat> = {}) => {
  const result = readCellValue(text, type, { blank: 'empty', ...format });
  return result.ok ? result.value : result.rule;
};
const day = fc.date({ min: new Date('1930-01-01'), max: new Date('2029-12-31'), noInvalidDate: true });
const isoOf = (date: Date) => date.toISOString().slice(0, 10);

describe('a cell', () => {
  it('has the value of `parseCell` if the column has no format', () => {
    const text = fc.oneof(fc.string(), fc.double().map(String), day.map(isoOf), fc.constantFrom('yes', '0', '1.', '٣'));
    fc.assert(
      fc.property(text, fc.constantFrom(...DATA_TYPES), (each, type) => {
        const expected = parseCell(each, type);
        const actual = readCellValue(each, type, KEEP);
        // Unlike `parseCell`, `readCellValue` accepts dates with other separators or without leading zeros.
        if (type !== 'date' || expected.ok) expect(actual).toMatchObject({ ok: expected.ok });
        if (expected.ok) expect(actual).toEqual(expected);
      }),
    );
  });
  it('is read as the written day in each order of day, month and year', () => {
    fc.assert(
      fc.property(
        day,
        fc.constantFrom('.', '/', '-'),
        fc.boolean(),
        fc.boolean(),
        (date, separator, isShort, isPadded) => {
          const [year, month, dayOfMonth] = isoOf(date).split('-') as [string, string, string];
          const digits = (text: string) => (isPadded ? text : String(Number(text)));
          const y = isShort ? year.slice(2) : year;
          const write = (...parts: string[]) => parts.join(separator);
          expect(read(write(digits(dayOfMonth), digits(month), y), 'date', { date: 'DMY' })).toBe(isoOf(date));
          expect(read(write(digits(month), digits(dayOfMonth), y), 'date', { date: 'MDY' })).toBe(isoOf(date));
          for (const order of ['YMD', 'DMY', 'MDY'] as const) {
            expect(read(write(year, digits(month), digits(dayOfMonth)), 'date', { date: order })).toBe(isoOf(date));
          }
        },
      ),
    );
  });
  it('is read as the written number, with German, English and French separators', () => {
    const separators = fc.constantFrom<[string, '.' | ',', string]>(
      ['de', ',', '.'],
      ['en', '.', ','],
      ['fr', ',', ' '],
    );
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), separators, (cents, [language, decimal, group]) => {
        const value = cents / 100;
        const text = new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(value);
        expect(read(text.replace('\u2212', '-'), 'number', { decimal, group })).toBe(value === 0 ? 0 : value);
      }),
    );
  });
  it.each([
    ['2025-04-03 14:30', 'date', {}, 'TIME_IN_DATE'],
    ['03/04/25 2:30 PM', 'date', { date: 'DMY' }, 'TIME_IN_DATE'],
    ['4 Mar 2018', 'date', {}, '2018-03-04'],
    ['04-MAR-18', 'date', { date: 'MDY' }, '2018-03-04'],
    ['4. September 2018', 'date', { date: 'DMY' }, '2018-09-04'],
    ['4-Sept-2018', 'date', {}, '2018-09-04'],
    ['4 Mar 2018 14:30', 'date', {}, 'TIME_IN_DATE'],
    ['31 Feb 2018', 'date', {}, 'WRONG_TYPE'],
    ['4 Marble 2018', 'date', {}, 'WRONG_TYPE'],
    ['31.02.2025', 'date', { date: 'DMY' }, 'WRONG_TYPE'],
    ['12/31/2025', 'date', { date: 'DMY' }, 'WRONG_TYPE'],
    ['1.2.3', 'date', { date: 'DMY' }, 'WRONG_TYPE'],
    ['1/2-2025', 'date', { date: 'DMY' }, 'WRONG_TYPE'],
    ['1,5', 'number', {}, 'WRONG_TYPE'],
    ['1.5', 'number', { decimal: ',' }, 'WRONG_TYPE'],
    ['1.23,4', 'number', { decimal: ',', group: '.' }, 'WRONG_TYPE'],
    ['12345678901234567', 'number', {}, 'DIGITS_LOST'],
    ['1,2345678901234567890', 'number', { decimal: ',' }, 'DIGITS_LOST'],
    ['JA', 'boolean', { yes: ['ja'], no: ['nein'] }, true],
    ['true', 'boolean', { yes: ['ja'], no: ['nein'] }, true],
    ['', 'boolean', { yes: ['x'], no: [''] }, false],
    [' ', 'string', {}, null],
    [' ', 'string', { blank: 'keep' }, ' '],
    [' a ', 'string', {}, ' a '],
  ] as const)('with the text %j, type %s and format %j gives the value or rule %j', (text, type, format, expected) => {
    expect(read(text, type, format as Partial<ColumnFormat>)).toBe(expected);
  });
  it.each<[Partial<ColumnFormat>, string]>([
    [{}, 'true or false'],
    [{ yes: ['ja'], no: ['nein'] }, 'ja or nein'],
    [{ yes: ['x'], no: [''] }, 'x or an empty cell'],
  ])('that is not a boolean of the format %j is refused, and the reason names %s', (format, words) => {
    expect(readCellValue('perhaps', 'boolean', { blank: 'empty', ...format })).toMatchObject({
      reason: `"perhaps" is not a boolean: use ${words}`,
    });
  });
  it('with a type, as in a workbook, is read in canonical form, regardless of the column format', () => {
    const format: ColumnFormat = { decimal: ',', group: '.', date: 'MDY', blank: 'empty' };
    expect(readCellValue('1.234', 'number', format, 'number')).toEqual({ ok: true, value: 1.234 });
    expect(readCellValue('2025-04-03', 'date', format, 'date')).toEqual({ ok: true, value: '2025-04-03' });
    expect(readCellValue('2025-04-03', 'string', format, 'date')).toEqual({ ok: true, value: '2025-04-03' });
    expect(readCellValue('2025-04-03T14:30:00', 'date', format, 'date')).toMatchObject({ rule: 'TIME_IN_DATE' });
    expect(readCellValue('#N/A', 'string', format, 'error')).toMatchObject({ rule: 'FORMULA_ERROR' });
    expect(readCellValue('', 'string', format, 'error')).toMatchObject({ rule: 'NO_CACHED_VALUE' });
  });
});

it.each([
  ['31.12.2025', '9.9.9'],
  ['1,25', '9,9'],
  ['n/a', 'a/a'],
  ['Größe 5', 'aaaaa 9'],
  ['x'.repeat(500), 'aaaaaaaa…'],
  ['-'.repeat(9), '--------…'],
])('gives the value $0 the shape $1', (value, shape) => {
  expect(shapeOf(value)).toBe(shape);
});
