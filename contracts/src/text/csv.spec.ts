import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CsvRecord,
  csvScanner,
  detectingCsvScanner,
  neutralised,
  neutralisedRecord,
  RECORD_CHARACTERS_MAX,
  withoutApostrophe,
} from './csv.ts';

/** Scans a text in pieces of `pieceLength` characters. */
function scan(text: string, delimiter = ',', pieceLength = text.length || 1) {
  const scanner = csvScanner(delimiter);
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; at += pieceLength) {
    for (const record of scanner.push(text.slice(at, at + pieceLength))) records.push(record);
  }
  return [...records, ...scanner.push('', true)];
}
const fieldsOf = (text: string, delimiter?: string) => scan(text, delimiter).map((record) => record.fields);
const linesOf = (text: string) => scan(text).map(({ line, fields }) => [line, ...fields]);

describe('records', () => {
  it('end at a line end or at the end of the file', () => {
    expect(fieldsOf('a,b\nc,d')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(fieldsOf('a,b\nc,d\n')).toEqual(fieldsOf('a,b\nc,d'));
    expect(fieldsOf('a,b\r\nc,d\r\n')).toEqual(fieldsOf('a,b\nc,d'));
    expect(fieldsOf('a,b\rc,d\r')).toEqual(fieldsOf('a,b\nc,d'));
  });
  it('have the number of their first line in the file', () => {
    expect(linesOf('a\n\n"b\nb"\nc\n')).toEqual([
      [1, 'a'],
      [3, 'b\nb'],
      [5, 'c'],
    ]);
  });
  it('keep empty fields, but an empty line is no record', () => {
    expect(fieldsOf(',\n\n""\n')).toEqual([['', ''], ['']]);
  });
  it('can have quotation marks, delimiters and line ends in their fields', () => {
    expect(fieldsOf('"a ""b""";"c;d";"e\r\nf"\n', ';')).toEqual([['a "b"', 'c;d', 'e\r\nf']]);
  });
  it('are clean if they have no quotation mark and only ASCII characters without NUL', () => {
    const records = scan('a,b\nM\xfc,b\nM\x80\na\0,b\n~\x7f\n"q",b\n');
    expect(records.map(({ isClean }) => isClean)).toEqual([true, false, false, false, true, false]);
  });
  it('keep a quotation mark within an unquoted field', () => {
    expect(fieldsOf('5" pipe,x\n')).toEqual([['5" pipe', 'x']]);
  });
});

describe('a malformed record', () => {
  it('is reported, and the next record is read', () => {
    const [first, second] = scan('"a"b,c\nd,e\n');
    expect(first).toMatchObject({ fields: ['ab', 'c'], malformed: { rule: expect.stringContaining('closed before') } });
    expect(second).toEqual({ line: 2, fields: ['d', 'e'], raw: 'd,e', isClean: true, malformed: null });
  });
  it('affects one line when a quotation mark is never closed', () => {
    const records = scan('a,"b\nc,d\ne,f\n');
    expect(records.map(({ line, malformed }) => [line, malformed !== null])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);
  });
  it('affects one line of a long file when a quotation mark is never closed', () => {
    const rows = 300_000;
    const records = scan(`a,"b\n${'c,d\n'.repeat(rows)}`, ',', 65_536);
    expect(records).toHaveLength(rows + 1);
    expect(records.filter((record) => record.malformed !== null)).toHaveLength(1);
  });
});

describe('a record that is too long', () => {
  const MANY = 'x'.repeat(RECORD_CHARACTERS_MAX + 10);
  const malformed = expect.objectContaining({ rule: expect.stringContaining('more than 1,048,576 characters') });

  it.each([
    ['without quotation marks', MANY],
    ['in quotation marks', `"${MANY}"`],
    ['with many fields', '"a",'.repeat(RECORD_CHARACTERS_MAX / 4 + 10)],
    ['after a field on two lines', `"a\nb",${MANY}`],
  ])('is refused %s, and the records around it are read', (_, long) => {
    for (const pieceLength of [65_536, long.length + 20]) {
      const records = scan(`a,b\n${long}\nc,d\n`, ',', pieceLength);
      expect(records.map(({ fields }) => fields[0]?.length)).toEqual([1, 200, 1]);
      expect(records.map((record) => record.malformed)).toEqual([null, malformed, null]);
      expect(records[1]?.raw).toHaveLength(RECORD_CHARACTERS_MAX + 1);
      expect(records[2]?.line).toBe(3 + (long.split('\n').length - 1));
    }
  });
  it('is returned once, even with 64 million characters', () => {
    const million = 'a'.repeat(1_000_000);
    let records = 0;
    const scanner = csvScanner(',');
    scanner.push('a,b\n');
    for (let piece = 0; piece < 64; piece++) records += scanner.push(million).length;
    records += scanner.push('\nc,d\n', true).length;
    expect(records).toBe(2);
  });
  it('is refused by a scanner that has not detected its delimiter yet', () => {
    const scanner = detectingCsvScanner();
    const records: CsvRecord[] = [];
    for (let piece = 0; piece < 20; piece++) records.push(...scanner.push('x'.repeat(100_000)));
    records.push(...scanner.push('\na;b\n', true));
    expect(records.map((record) => record.malformed)).toEqual([malformed, null]);
  });
});

describe('a quotation mark that is never closed', () => {
  it('affects only its line if the next line begins with a quoted field', () => {
    expect(scan('"r",a,"b\n"r",c,"d\n"r",e,f\n').map(({ fields, malformed }) => [fields, malformed !== null])).toEqual([
      [['r', 'a', '"b'], true],
      [['r', 'c', '"d'], true],
      [['r', 'e', 'f'], false],
    ]);
  });
});

describe('a file of rejected rows', () => {
  it('is read without its column of reasons', () => {
    expect(
      scan('rdm:reason,code,name\n"Line 2: a, b",x,"y\nz"\n"Line 4",u,"v\n').map(({ line, fields, raw }) => [
        line,
        fields,
        raw,
      ]),
    ).toEqual([
      [1, ['code', 'name'], 'code,name'],
      [2, ['x', 'y\nz'], 'x,"y\nz"'],
      [4, ['u', '"v'], 'u,"v'],
    ]);
  });
  it('has no header if the imported file had none', () => {
    expect(fieldsOf('rdm:reason;\n"Line 1";a;b\n', ';')).toEqual([['a', 'b']]);
    const scanner = detectingCsvScanner();
    expect(scanner.push('rdm:reason;\n"Line 1, a, b, c, d";a;b\n', true).map(({ fields }) => fields)).toEqual([
      ['a', 'b'],
    ]);
    expect(scanner.delimiter()).toBe(';');
  });
});

describe('a record for spreadsheets', () => {
  it.each([
    ['a,"b ""c""",d', 'a,"b ""c""",d'],
    ['=1+1,"@x",-5,"-x"', `'=1+1,"'@x",-5,"'-x"`],
    [`'=1+1,"'@x"`, `'=1+1,"'@x"`],
    ['"=a"b,c', `"'=a"b,c`],
    ['x,"=a,b', `x,"'=a,b`],
    ['', ''],
    [',', ','],
  ])('has an apostrophe before each formula of %j', (raw, expected) => {
    expect(neutralisedRecord(raw, ',')).toBe(expected);
  });
});

describe('any table', () => {
  const delimiter = fc.constantFrom(',', ';', '\t', '|');
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '|', '\n', '\r', ' ') });
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));
  const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;

  it('is read back as it was written, in pieces of one to nine characters', () => {
    fc.assert(
      fc.property(
        table,
        delimiter,
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        (rows, separator, end, pieceLength) => {
          const text = rows.map((row) => row.map(quote).join(separator) + end).join('');
          // A newline within the first field would suggest another line ending; a leading line prevents that.
          const records = scan(`x${end}${text}`, separator, pieceLength).slice(1);
          expect(records.map((record) => record.fields)).toEqual(rows);
          expect(records.every((record) => record.malformed === null)).toBe(true);
          expect(records.map(({ raw }) => raw)).toEqual(rows.map((row) => row.map(quote).join(separator)));
        },
      ),
    );
  });
  it('is read with the same result in one piece and in many', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'b'), maxLength: 40 });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 7 }), (text, pieceLength) => {
        expect(scan(`x\n${text}`, ',', pieceLength)).toEqual(scan(`x\n${text}`));
      }),
    );
  });
});

describe('the mark of a formula', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['\n=1+1', "'\n'=1+1"],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['a;=1+1;b', "a;'=1+1;b"],
    ['a\t@x\r\n-y', "a\t'@x\r\n'-y"],
    ["'=a", "''=a"],
  ])('is added to %j', (text, marked) => expect(neutralised(text)).toBe(marked));

  it.each(['-5', '+4,5', '1.5', "'s-Gravenhage", "O'Neill; and sons", 'a=b', 'x\ny', ''])(
    'is not added to %j',
    (text) => expect(neutralised(text)).toBe(text),
  );

  const texts = fc.array(fc.constantFrom(...'=+-@\uff1d\uff0b\uff0d\uff20\t\r\n\u00a0;\'"a5.,'), { maxLength: 12 });

  it('is added at every position where a formula could begin', () => {
    fc.assert(
      fc.property(texts, (characters) => {
        const marked = neutralised(characters.join(''));
        if (/^[+-]?\d+([.,]\d+)?$/.test(marked)) return;
        expect(marked).not.toMatch(/^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n\u00a0]/);
        for (const part of marked.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^[=+\-@\uff1d\uff0b\uff0d\uff20]/);
      }),
    );
  });

  it('is removed by `withoutApostrophe`, which restores every text', () => {
    fc.assert(
      fc.property(texts, (characters) => {
        const text = characters.join('');
        expect(withoutApostrophe(neutralised(text))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});
