/** Tests that cells are copied and pasted without loss. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTsv, serializeHtml, serializeTsv } from './tsv.ts';

const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('"', '\t', '\n', '\r', '0', 'a', ' ') }),
  fc.constantFrom('', '007', '"', '""', '"a"b', 'a "quoted" word', 'two\r\nlines', '\t', ' x '),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) => fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 6 }));

describe('cells on the clipboard', () => {
  it('are read exactly as written, for any content', () => {
    fc.assert(
      fc.property(table, (rows) => {
        expect(parseTsv(serializeTsv(rows))).toEqual(rows);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, string, string[][]]>([
    [
      'Windows line breaks',
      '007\tBond\r\n008\tBill\r\n',
      [
        ['007', 'Bond'],
        ['008', 'Bill'],
      ],
    ],
    ['quoted cells', '1\t"two\nlines"\t"a ""b"" c"', [['1', 'two\nlines', 'a "b" c']]],
    ['a quoted tab', '"a\tb"\tc', [['a\tb', 'c']]],
    ['empty cells and lines', 'a\t\t\n\nb', [['a', '', ''], [''], ['b']]],
    ['quotes within a cell', '5" pipe\tx', [['5" pipe', 'x']]],
    ['a quote that is never closed', '"abc\tx\ny', [['"abc', 'x'], ['y']]],
    ['a closing quote followed by text', '"a"b\tc', [['"a"b', 'c']]],
    ['leading zeros', '0001', [['0001']]],
    ['no text', '', []],
  ])('are parsed: %s', (_, text, rows) => {
    expect(parseTsv(text)).toEqual(rows);
  });

  it('are plain text if a single cell is copied', () => {
    expect(serializeTsv([['007']])).toBe('007');
  });
});

describe('cells as an HTML table', () => {
  it('are marked as texts, so that spreadsheet programs keep leading zeros and do not run formulas', () => {
    const html = serializeHtml([
      ['007', '=1+1 & <b>'],
      ['a\nb', ''],
    ]);
    const table = new DOMParser().parseFromString(html, 'text/html').querySelector('table');
    const cells = [...(table?.rows ?? [])].map((row) => [...row.cells]);
    expect(cells.map((row) => row.map((cell) => cell.textContent))).toEqual([
      ['007', '=1+1 & <b>'],
      ['ab', ''],
    ]);
    for (const cell of cells.flat()) expect(cell.getAttribute('style')).toContain("mso-number-format:'\\@'");
    expect(cells[1]?.[0]?.querySelectorAll('br')).toHaveLength(1);
  });
});
