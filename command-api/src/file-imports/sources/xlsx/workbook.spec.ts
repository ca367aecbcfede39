import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryBytes, readWhole } from '../fixtures/memory-bytes.ts';
import { type Part, sheetRows, workbookOf, workbookParts, zipOf } from '../fixtures/workbook-files.ts';
import { profileBytes } from '../profile-file.ts';
import { placeOf } from '../source-places.ts';
import { SharedStrings } from './shared-strings.ts';

type Cells = Parameters<typeof sheetRows>[0];
const workbook = (rows: Cells, options: Omit<Parameters<typeof workbookOf>[0], 'sheets'> = {}) => {
  const { rows: xml, strings } = sheetRows(rows);
  return workbookOf({ sheets: [{ rows: xml }], strings, ...options });
};
const number = (value: number | string, style = 0) => ({ xml: `<c r="@" s="${style}"><v>${value}</v></c>` });
const refusalOf = (content: Buffer, options = {}) =>
  profileBytes(memoryBytes(content), options).then(
    () => expect.unreachable('the file is read'),
    ({ status, message }) => ({ status, message }),
  );

describe('a given header', () => {
  const rows: Cells = [...Array.from({ length: 44 }, (_, index) => [`Note ${index}`]), ['Code', 'Name'], ['a', 'A']];
  it('can be row 45', async () => {
    const { columns, rows: values } = await readWhole(workbook(rows), { headerRow: 45 });
    expect([columns.map(({ name }) => name), values]).toEqual([['Code', 'Name'], [['a', 'A']]]);
  });
  it('is refused if the file has no such row', async () => {
    expect(await refusalOf(workbook(rows), { headerRow: 47 })).toEqual({
      status: 400,
      message: 'Row 47 cannot name the columns: choose one of the first 46 rows.',
    });
  });
});

describe('a detected header', () => {
  it('can be below many rows that the sheet omits', async () => {
    const { rows: xml, strings } = sheetRows([
      ['Code', 'Name'],
      ['a', 'A'],
      ['b', 'B'],
    ]);
    const below = xml.replace(/ r="([A-Z]*)(\d+)"/g, (_, column, row) => ` r="${column}${Number(row) + 60}"`);
    const { columns, rows } = await readWhole(workbookOf({ sheets: [{ rows: below }], strings }));
    expect(columns.map(({ name }) => name)).toEqual(['Code', 'Name']);
    expect(rows).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
  });
});

describe('cells of a workbook', () => {
  it('are the texts, numbers, booleans and errors as stored', async () => {
    const { rows, sourceRecords } = await readWhole(
      workbook([
        ['Code', 'Name', 'Count', 'Active', 'Error'],
        ['0033', 'Müller', 1.5, true, { xml: '<c r="@" t="e"><v>#N/A</v></c>' }],
        ['9e42', ' x ', 1e21, false, { xml: '<c r="@"><f>A1</f></c>' }],
        ['NA', '-', { xml: '<c r="@"><f>A1</f><v></v></c>' }, { xml: '<c r="@" t="str"><f>A1</f><v></v></c>' }, 'x'],
      ]),
    );
    expect(rows).toEqual([
      ['0033', 'Müller', '1.5', 'true', '#N/A'],
      ['9e42', ' x ', '1e+21', 'false', ''],
      ['NA', '-', '', '', 'x'],
    ]);
    expect(sourceRecords.map(({ kinds }) => kinds)).toEqual([
      [undefined, undefined, 'number', 'boolean', 'error'],
      [undefined, undefined, 'number', 'boolean', 'error'],
      [undefined, undefined, 'error', undefined, undefined],
    ]);
    expect(sourceRecords.map(({ line, isClean }) => [line, isClean])).toEqual([
      [2, false],
      [3, true],
      [4, true],
    ]);
  });
  it('have texts without phonetic notes, and with decoded escapes', async () => {
    const rich = '<si><r><t>To</t></r><r><t xml:space="preserve">kyo </t></r><rPh sb="0" eb="2"><t>x</t></rPh></si>';
    const { rows } = await readWhole(
      workbookOf({
        strings: ['Code', 'Name', rich, 'a_x000D_b', '_x005F_x0041_'],
        sheets: [
          {
            rows: `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>
              <row><c t="s"><v>2</v></c><c t="s"><v>3</v></c></row>
              <row><c t="s"><v>4</v></c><c t="inlineStr"><is><t>in</t><t>line</t></is></c></row>`,
          },
        ],
      }),
    );
    expect(rows).toEqual([
      ['Tokyo ', 'a\rb'],
      ['_x0041_', 'inline'],
    ]);
  });
  it('are dates or times if they have a date format, in both date systems', async () => {
    const rows: Cells = [
      ['Code', 'From', 'Until'],
      ['a', number(45750, 1), number(45750.75, 2)],
      ['b', number(1, 1), number(0.604166666666667, 3)],
      ['c', number(60, 1), number(61, 4)],
    ];
    const formats = ['dd\\.mm\\.yyyy', '[$-407]d. mmmm yyyy hh:mm', 'h:mm AM/PM', '0.00" days"'];
    const in1900 = await readWhole(workbook(rows, { formats }));
    expect(in1900.rows).toEqual([
      ['a', '2025-04-03', '2025-04-03T18:00:00'],
      ['b', '1900-01-01', '14:30:00'],
      ['c', '60', '61'],
    ]);
    const in1904 = await readWhole(workbook([rows[0], ['a', number(44288, 1), 1]] as Cells, { formats, is1904: true }));
    expect(in1904.rows).toEqual([['a', '2025-04-03', '1']]);
  });
  it('have every printable text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), async (texts) => {
        const printable = texts.map((text) => text.replace(/[^\P{C}\p{Cf}]/gu, '').replace(/^<|_x/g, '') || '-');
        const { rows } = await readWhole(
          workbook([['Code', 'Text'], ...printable.map((text, at) => [`${at}`, text])]),
          {
            headerRow: 1,
          },
        );
        expect(rows.map(([, text]) => text)).toEqual(printable);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a workbook', () => {
  it('can have its header below a title', async () => {
    const codes = Array.from({ length: 300 }, (_, index) => [String(index).padStart(5, '0'), `Name ${index}`, 'yes']);
    const { rows, strings } = sheetRows([['Price list'], ['Code', 'Name', 'Active'], ...codes]);
    const profile = await readWhole(workbookOf({ sheets: [{ rows }], strings }));
    expect(profile).toMatchObject({ read: { headerRow: 2 }, records: 300 });
  });

  it('is read with its title rows, merged headers, date system, formulas and errors', async () => {
    const rows: Cells = [
      ['Prices of 2025', null, null, null, null, null],
      ['Code', 'Name', 'Price', null, 'From', 'Total'],
      [null, null, 'EUR', 'USD', null, null],
      ...Array.from({ length: 13 }, (_, index) => [
        `00${index}`,
        `Name ${index}`,
        1.5,
        2,
        number(44288 + index, 1),
        { xml: '<c r="@"><f>C4*2</f><v>3</v></c>' },
      ]),
      ['0099', 'Last', 1.5, 2, number(44288, 1), { xml: '<c r="@" t="e"><f>1/0</f><v>#N/A</v></c>' }],
    ];
    const { rows: xml, strings } = sheetRows(rows);
    const merges = ['A1:F1', 'A2:A3', 'B2:B3', 'C2:D2', 'E2:E3', 'F2:F3'];
    const content = workbookOf({ sheets: [{ rows: xml, merges }], strings, formats: ['yyyy-mm-dd'], is1904: true });
    const profile = await readWhole(content);
    expect(profile.read).toEqual({ sheet: 'Data', headerRow: 3 });
    expect(profile.columns.map(({ name, dataType }) => [name, dataType])).toEqual([
      ['Code', 'string'],
      ['Name', 'string'],
      ['Price / EUR', 'number'],
      ['Price / USD', 'number'],
      ['From', 'date'],
      ['Total', 'number'],
    ]);
    expect(profile.columns.map(({ misfits }) => misfits)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(profile).toMatchObject({ key: [0], label: 1, questions: [], records: 14 });
    const errorPlaces = profile.sourceRecords.flatMap(({ line, kinds }) =>
      (kinds ?? []).flatMap((kind, column) => (kind === 'error' ? [placeOf(profile, line, column)] : [])),
    );
    expect(errorPlaces).toEqual(['Data!F17']);
  });
  it('has codes in columns whose number format shows leading zeros', async () => {
    const rows: Cells = [
      ['Region', 'Price'],
      [number(33, 1), number(33, 2)],
      [number(1034, 1), number(33, 2)],
      [number(1034, 1), number(33, 2)],
    ];
    const { columns } = await readWhole(workbook(rows, { formats: ['00000', '0.00'] }));
    expect(columns).toMatchObject([
      { dataType: 'string', codeLength: 5, reason: expect.stringContaining('leading zeros') },
      { dataType: 'number', codeLength: null },
    ]);
  });
  it('of rejected rows is read without its column of reasons', async () => {
    const rows: Cells = [
      ['rdm:reason', 'Region', 'Price'],
      ['Row 7: Price: wrong.', number(33, 1), 'much'],
      ['Row 9: Price: wrong.', number(1034, 1), number(5)],
    ];
    const profile = await readWhole(workbook(rows, { formats: ['00000'] }));
    expect(profile.columns.map(({ name, codeLength }) => [name, codeLength])).toEqual([
      ['Region', 5],
      ['Price', null],
    ]);
    expect(profile.rows).toEqual([
      ['33', 'much'],
      ['1034', '5'],
    ]);
    expect(placeOf(profile, 2, 1)).toBe('Data!C2');
  });
  it('lists hidden sheets last, and reads the sheet that the options name', async () => {
    const sheets = [
      { name: 'Secret', state: 'hidden', rows: sheetRows([[1, 2]]).rows },
      { name: 'Numbers', rows: sheetRows([[3, 4]]).rows },
    ];
    const first = await readWhole(workbookOf({ sheets }), { headerRow: 0 });
    expect(first.sheets).toEqual([
      { name: 'Numbers', isHidden: false },
      { name: 'Secret', isHidden: true },
    ]);
    expect(first.rows).toEqual([['3', '4']]);
    expect((await readWhole(workbookOf({ sheets }), { sheet: 'Secret', headerRow: 0 })).rows).toEqual([['1', '2']]);
    expect(await refusalOf(workbookOf({ sheets }), { sheet: 'Other' })).toEqual({
      status: 400,
      message: 'The workbook has no sheet "Other": choose another one.',
    });
  });
  it('is read with uppercase paths, backslashes and prefixed elements', async () => {
    const { rows, strings } = sheetRows([
      ['Code', 'Name'],
      ['a', 'b'],
    ]);
    const parts = workbookParts({ sheets: [{ rows }], strings }).map(
      ({ path, content }): Part => ({
        path: path === '_rels/.rels' ? path : path.toUpperCase().replaceAll('/', '\\').replace('.XML', '.xml'),
        content: String(content)
          .replaceAll(/<(\/?)(row|c|v|sheetData|worksheet)\b/g, '<$1x:$2')
          .replace('<x:worksheet xmlns=', '<x:worksheet xmlns:x='),
      }),
    );
    expect((await readWhole(zipOf(parts))).rows).toEqual([['a', 'b']]);
  });
  it('has empty cells at the end of a short row', async () => {
    const { rows } = await readWhole(workbook([['Code', 'Name', 'Note'], ['a'], ['b', null, 'x']]));
    expect(rows).toEqual([
      ['a', '', ''],
      ['b', '', 'x'],
    ]);
  });
  it('is read without its macros, with a note', async () => {
    const content = workbook(
      [
        ['Code', 'Name'],
        ['a', 'b'],
      ],
      { extra: [{ path: 'xl/vbaProject.bin', content: 'x' }] },
    );
    expect((await readWhole(content)).notes).toEqual(['Macros are ignored.']);
  });
  it('has text columns for the same values as a text file', async () => {
    const values = ['0033', '9e42', 'NA', '41_10_1', '123456789012345678', '+49'];
    const rows: Cells = [
      ['Nr', ...values.map((_, at) => `Value ${at}`)],
      ['1', ...values],
      ['2', ...values],
    ];
    const inWorkbook = await readWhole(workbook(rows));
    const inText = await readWhole(rows.map((cells) => cells.join(';')).join('\n'));
    for (const profile of [inWorkbook, inText]) {
      expect(profile.columns.map(({ dataType }) => dataType)).toEqual(profile.columns.map(() => 'string'));
      expect(profile.rows).toEqual(rows.slice(1));
    }
  });
});

describe('a file is refused if it', () => {
  const sheet = (xml: string) => workbookOf({ sheets: [{ rows: '', xml }] });
  const ROWS = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>';
  const encrypted = Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(70_000),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ]);
  const whole = workbook([
    ['Code', 'Name'],
    ['a', 'b'],
  ]);
  it.each<[string, number, string, Buffer]>([
    ['is encrypted', 415, 'The workbook is encrypted: remove its password.', encrypted],
    [
      'has encrypted parts',
      415,
      'The workbook is encrypted: remove its password.',
      zipOf(workbookParts({ sheets: [{ rows: ROWS }] }).map((part) => ({ ...part, isEncrypted: true }))),
    ],
    [
      'has the old format',
      415,
      'This is an .xls file, or another old Office file: save the table as .xlsx.',
      encrypted.subarray(0, 60_000),
    ],
    ['is binary', 415, 'This is an .xlsb file: save it as .xlsx.', zipOf([{ path: 'xl/workbook.bin', content: 'x' }])],
    [
      'is an OpenDocument file',
      415,
      'This is an .ods file: save it as .xlsx.',
      zipOf([
        { path: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
        { path: 'content.xml', content: '<x/>' },
      ]),
    ],
    ['is another ZIP file', 415, 'This ZIP file contains no workbook.', zipOf([{ path: 'a.txt', content: 'x' }])],
    ['ends early', 400, 'The file is incomplete: upload it again.', whole.subarray(0, whole.length / 2)],
    [
      'has a damaged sheet',
      400,
      'Sheet "Data" is damaged after row 2: save it again in a spreadsheet program.',
      sheet(`<worksheet><sheetData>${ROWS}<row><c><v>1 & 2</v></c></row></sheetData></worksheet>`),
    ],
    [
      'declares a DOCTYPE',
      400,
      'The XML of sheet "Data" declares a DOCTYPE, which workbooks never contain.',
      sheet(
        `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet><sheetData>${ROWS}</sheetData></worksheet>`,
      ),
    ],
    [
      'declares a DOCTYPE in its texts',
      400,
      'sharedStrings.xml declares a DOCTYPE, which workbooks never contain.',
      zipOf(
        workbookParts({ sheets: [{ rows: ROWS }] }).map((part) =>
          part.path.endsWith('sharedStrings.xml') ? { ...part, content: '<!DOCTYPE sst><sst/>' } : part,
        ),
      ),
    ],
    [
      'has more bytes than it declares',
      400,
      'Sheet "Data" is damaged: save it again in a spreadsheet program.',
      zipOf(
        workbookParts({
          sheets: [{ rows: `<row><c t="str"><v>${' '.repeat(100_000)}</v></c></row>`.repeat(100) }],
        }).map((part) => (part.path.includes('sheet1') ? { ...part, declaredBytes: 200 } : part)),
      ),
    ],
    [
      'has a huge cell',
      400,
      'Sheet "Data" has a text of more than 1,048,576 characters.',
      sheet(`<worksheet><sheetData><row><c t="str"><v>${'x'.repeat(8_000_000)}</v></c></row></sheetData></worksheet>`),
    ],
    [
      'has a huge comment',
      400,
      'Sheet "Data" has a text of more than 1,048,576 characters.',
      sheet(`<worksheet><!-- ${'<'.repeat(8_000_000)} --><sheetData>${ROWS}</sheetData></worksheet>`),
    ],
    [
      'is nested deeply',
      400,
      'Sheet "Data" has more than 100 nested elements.',
      sheet(`<worksheet>${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}</worksheet>`),
    ],
    [
      'has too many columns',
      400,
      'Row 1 has 10,000 columns; at most 1,000 can be imported.',
      sheet(`<worksheet><sheetData><row r="1">${'<c><v>1</v></c>'.repeat(10_000)}</row></sheetData></worksheet>`),
    ],
    [
      'has too many rows',
      413,
      'Sheet "Data" has more than 1,048,576 rows.',
      sheet(`<worksheet><sheetData><row r="1048577"><c><v>1</v></c></row></sheetData></worksheet>`),
    ],
    ['has no cells', 400, 'The file is empty.', workbookOf({ sheets: [{ rows: '' }] })],
  ])('%s', async (_, status, message, content) => {
    expect(await refusalOf(content)).toEqual({ status, message });
  });
});

describe('shared texts', () => {
  it('are the texts that were added', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const strings = new SharedStrings();
        for (const text of texts) strings.add(text);
        const readTexts = texts.map((_, index) => strings.get(index));
        expect(readTexts.map((text) => Buffer.from(text?.bytes ?? '', 'latin1').toString('utf8'))).toEqual(texts);
        expect(readTexts.map((text) => text?.isClean)).toEqual(texts.map((text) => /^[\x20-\x7e]*$/.test(text)));
        expect(strings.get(texts.length)).toBeUndefined();
      }),
    );
  });
});
