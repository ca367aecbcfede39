/** Files for imports, most of them difficult or damaged, each with the expected answer. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { parquetFixture, parquetOf } from '@rdm/command-api/file-imports/sources/fixtures/parquet-files';
import {
  type SheetOptions,
  sheetRows,
  type WorkbookOptions,
  workbookOf,
  workbookParts,
  zipOf,
} from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { LONG } from '../stack.ts';

/** The answer of an import: why a file cannot be read, or the findings about it. */
export type Answer =
  | { refusal: RegExp }
  | {
      records: number;
      /** The detected format; for a text, its encoding. */
      read?: string;
      columns?: readonly string[];
      /** Kinds of the open questions. */
      questions?: readonly string[];
      /** Settings of the draft. */
      settings?: object;
      /** The groups of errors: the rule of each group, and the position of its first error. */
      problems?: readonly (readonly [rule: string, place: string])[];
      notes?: RegExp;
    };

export interface ZooFile {
  name: string;
  /** Many rows or bytes: a test in `long` uploads all large files at the same time. */
  isLarge?: true;
  /** Reading takes seconds: a test in `long` uploads the file alone. */
  isSlow?: true;
  fileName: string;
  content: () => Buffer;
  answer: Answer;
}

const file = (
  name: string,
  fileName: string,
  content: string | Buffer | (() => string | Buffer),
  answer: Answer,
): ZooFile => ({
  name,
  fileName,
  content: () => Buffer.from((typeof content === 'function' ? content() : content) as string),
  answer,
});

const largeFile = (...parameters: Parameters<typeof file>): ZooFile => ({ ...file(...parameters), isLarge: true });
const slowFile = (...parameters: Parameters<typeof file>): ZooFile => ({ ...file(...parameters), isSlow: true });

const ERROR_ROWS = LONG ? 1_000_000 : 100_000;
const REPEATED_ROWS = LONG ? 200_000 : 20_000;

/** Returns lines with distinct keys and the same value. */
const numberedLines = (rows: number, value: string): string =>
  Array.from({ length: rows }, (_, index) => `K${index},${value}\n`).join('');

const utf16 = (text: string, isBigEndian = false): Buffer => {
  const units = Buffer.from(text, 'utf16le');
  return isBigEndian ? units.swap16() : units;
};

const CODES = 'code,name\nA,Alpha\nB,Beta\n';
const FORTY_LINES = Array.from({ length: 40 }, (_, index) => `${1_000 + index},Name ${index}\n`).join('');

type Cells = Parameters<typeof sheetRows>[0];
const sheet = (rows: Cells, options: Partial<WorkbookOptions> = {}, more: Partial<SheetOptions> = {}): Buffer => {
  const { rows: xml, strings } = sheetRows(rows);
  return workbookOf({ sheets: [{ rows: xml, ...more }], strings, ...options });
};
const SIMPLE: Cells = [
  ['code', 'name'],
  ['A', 'Alpha'],
  ['B', 'Beta'],
];
const xml = (text: string) => ({ xml: text });
const workbookWithParts = (
  change: (each: ReturnType<typeof workbookParts>) => ReturnType<typeof workbookParts>,
): Buffer => {
  const { rows, strings } = sheetRows(SIMPLE);
  return zipOf(change(workbookParts({ sheets: [{ rows }], strings })));
};
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const WORKSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
/** Returns a file that begins as an OLE compound file, the format of .xls files and of encrypted workbooks. */
const compound = (stream = ''): Buffer =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(600),
    Buffer.from(stream, 'utf16le'),
    Buffer.alloc(400),
  ]);

const PARQUET = parquetFixture('duckdb-1-snappy.parquet');
const REPEATED_CODE: Parameters<typeof parquetOf>[0] = [
  { name: 'code', data: ['A', 'B', 'A'], type: 'STRING' },
  { name: 'name', data: ['Alpha', 'Beta', 'Gamma'], type: 'STRING' },
];

const MIB = 1024 * 1024;

export const ZOO: readonly ZooFile[] = [
  // Nothing to import.
  file('no byte', 'empty.csv', '', { refusal: /^The file is empty/ }),
  file('a byte order mark alone', 'mark.csv', '\ufeff', { refusal: /^The file is empty/ }),
  file('blank lines', 'blank.csv', '\n\r\n  \n', { refusal: /^The file is empty/ }),
  file('a header alone', 'header.csv', 'code,name\n', { refusal: /row 1, but no record/ }),
  file('a workbook without cells', 'empty.xlsx', () => sheet([]), { refusal: /^The file is empty/ }),
  file('an empty JSON list', 'empty.json', '[]', { refusal: /^The file is empty/ }),

  // Encodings.
  file('UTF-8 with a mark', 'utf8.csv', `\ufeff${CODES}`, { records: 2, columns: ['code', 'name'] }),
  file('Windows-1252', 'ansi.csv', Buffer.from('code,name\nA,Öse für Größe\nB,Bär\n', 'latin1'), {
    records: 2,
    read: 'windows-1252',
  }),
  file('UTF-16 with a mark', 'utf16.csv', utf16(`\ufeff${CODES}`), { records: 2, read: 'utf-16le' }),
  file('UTF-16 without a mark', 'utf16le.csv', utf16(CODES), { records: 2, read: 'utf-16le' }),
  file('big-endian UTF-16 without a mark', 'utf16be.csv', utf16(CODES, true), { records: 2, read: 'utf-16be' }),
  file('UTF-16 with half a character at its end', 'half.csv', () => utf16(`\ufeff${CODES}C,Gamma`).subarray(0, -1), {
    records: 3,
    read: 'utf-16le',
    problems: [['ENCODING', 'line 4']],
  }),
  file(
    'Shift_JIS',
    'sjis.csv',
    Buffer.concat([
      Buffer.from('code,name\n'),
      Buffer.concat(
        Array.from({ length: 30 }, (_, index) =>
          Buffer.concat([
            Buffer.from(`J${index},`),
            Buffer.from('938c8b9e82cc8a5882c993fa967b8cea', 'hex'),
            Buffer.from('\n'),
          ]),
        ),
      ),
    ]),
    { records: 30, read: 'shift_jis' },
  ),
  file(
    'a byte that is not UTF-8',
    'byte.csv',
    Buffer.concat([
      Buffer.from(`code,name\nA,日本語のテキスト\n`),
      Buffer.from('B,'),
      Buffer.from([0xff]),
      Buffer.from('\nC,日本\n'),
    ]),
    { records: 3, problems: [['ENCODING', 'line 3']] },
  ),
  file('NUL in the head', 'nul.csv', 'code,name\nA,Al\0pha\n', { refusal: /byte 15 is NUL/ }),
  file('NUL after the head', 'nul-below.csv', () => `code,name\n${numberedLines(200, 'x')}Z,a\0b\n`, {
    records: 201,
    problems: [['CONTROL_CHARACTER', 'line 202']],
  }),
  file('control characters', 'control.csv', 'code,name\nA,Bell\x07\n', { records: 1 }),

  // Records.
  file('ragged rows', 'ragged.csv', 'code,name,size\nA,Alpha,1\nB,Beta\nC,Gamma,3,4\nD,Delta,4\n', {
    records: 4,
    problems: [
      ['FIELD_COUNT', 'line 3'],
      ['FIELD_COUNT', 'line 4'],
    ],
  }),
  file('a delimiter in a value', 'comma.csv', 'code,name,size\nA,Smith, John,5\nB,Miller,6\n', {
    records: 2,
    problems: [['FIELD_COUNT', 'line 2']],
  }),
  file('a quote that is not closed', 'quote.csv', 'code,name\nA,"Alpha\nB,Beta\nC,Gamma\n', {
    records: 3,
    problems: [['MALFORMED', 'line 2']],
  }),
  file('text after a closing quote', 'quoted.csv', 'code,name\nA,"Alpha" more\nB,Beta\n', {
    records: 2,
    problems: [['MALFORMED', 'line 2']],
  }),
  file('line breaks in a value', 'breaks.csv', 'code,name\nA,"Two\nlines"\nB,Beta\n', { records: 2 }),
  file('mixed line ends', 'mixed.csv', 'code,name\r\nA,Alpha\nB,Beta\r\nC,Gamma', { records: 3 }),
  file('carriage returns alone', 'mac.csv', 'code,name\rA,Alpha\rB,Beta\r', { records: 2 }),
  file('a repeated column name', 'same.csv', 'code,name,name\nA,Alpha,Again\nB,Beta,Again\n', {
    records: 2,
    columns: ['code', 'name', 'name (2)'],
  }),
  file('columns without names', 'unnamed.csv', 'code,,name\nA,1,Alpha\nB,2,Beta\n', {
    records: 2,
    columns: ['code', 'Column 2', 'name'],
  }),
  file('a repeated key', 'keys.csv', () => `code,name\n${FORTY_LINES}1000,Again\n`, {
    records: 41,
    settings: { key: [0] },
    problems: [['DUPLICATE_IN_FILE', 'line 42']],
  }),
  file('a missing key', 'nokey.csv', () => `code,name\n${FORTY_LINES},Nothing\n`, {
    records: 41,
    settings: { key: [0] },
    problems: [['MISSING_KEY', 'line 42']],
  }),
  file('10,000 columns', 'wide.csv', () => `${Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',')}\n`, {
    refusal: /^Line 1 has 10,000 columns; at most 1,000/,
  }),
  slowFile('one endless line', 'endless.csv', () => `code,name\nA,${'x'.repeat(20 * MIB)}\nB,Beta\n`, {
    records: 2,
    problems: [['MALFORMED', 'line 2']],
  }),
  slowFile('a file of one endless line', 'endless-all.csv', () => 'x'.repeat(20 * MIB), {
    refusal: /line 1 cannot be read: there are more than 1,048,576/,
  }),
  file('a cell above the limit', 'long.csv', () => `code,name\n${FORTY_LINES}Z,${'x'.repeat(100_001)}\n`, {
    records: 41,
    problems: [['TOO_LONG', 'line 42']],
  }),
  largeFile('very many errors', 'errors.csv', () => `code,size\n${numberedLines(ERROR_ROWS, 'x')}`, {
    records: ERROR_ROWS,
    settings: { columns: { 1: { dataType: 'number' } } },
    problems: [['WRONG_TYPE', 'line 2']],
  }),
  slowFile(
    'very many repeated keys',
    'repeated.csv',
    () => `code,size\n${numberedLines(10, '1').repeat(REPEATED_ROWS / 10)}`,
    {
      records: REPEATED_ROWS,
      settings: { key: [0] },
      problems: [['DUPLICATE_IN_FILE', 'line 12']],
    },
  ),

  // Values.
  file(
    'dates in seven formats',
    'dates.csv',
    'code,since\nA,2025-12-31\nB,31.12.2025\nC,31/12/2025\nD,12/31/2025\nE,31-12-2025\nF,20251231\nG,31.12.25\n',
    { records: 7 },
  ),
  file('dates whose order of day and month is not certain', 'order.csv', 'code,since\nA,03/04/2025\nB,05/06/2025\n', {
    records: 2,
    questions: ['dateOrder'],
  }),
  file('numbers whose decimal sign is not certain', 'numbers.csv', 'code;size\nA;1,234\nB;5,678\n', {
    records: 2,
    questions: ['numberFormat'],
  }),
  file('formulas of a spreadsheet', 'formulas.csv', 'code,name\nA,=1+1\nB,@SUM(A1)\n', { records: 2 }),

  // Workbooks.
  file('a workbook', 'simple.xlsx', () => sheet(SIMPLE), { records: 2, read: 'xlsx' }),
  file(
    'error cells',
    'errors.xlsx',
    () =>
      sheet([
        ['code', 'size'],
        ...Array.from({ length: 12 }, (_, index) => [`A${index}`, index + 1.5]),
        ['Z', xml('<c r="@" t="e"><v>#N/A</v></c>')],
      ]),
    { records: 13, problems: [['FORMULA_ERROR', 'Data!B14']] },
  ),
  file(
    'a formula without its value',
    'formula.xlsx',
    () =>
      sheet([
        ['code', 'size'],
        ...Array.from({ length: 12 }, (_, index) => [`A${index}`, index + 1.5]),
        ['Z', xml('<c r="@"><f>A1+1</f></c>')],
      ]),
    { records: 13, problems: [['NO_CACHED_VALUE', 'Data!B14']] },
  ),
  file('macros', 'macros.xlsm', () => sheet(SIMPLE, { extra: [{ path: 'xl/vbaProject.bin', content: 'macro' }] }), {
    records: 2,
    notes: /macro/i,
  }),
  file(
    'a workbook of 10,000 columns',
    'wide.xlsx',
    () => workbookOf({ sheets: [{ rows: `<row>${'<c t="inlineStr"><is><t>x</t></is></c>'.repeat(10_000)}</row>` }] }),
    { refusal: /10,000 columns; at most 1,000/ },
  ),
  largeFile(
    'a sheet of too many rows',
    'rows.xlsx',
    () => workbookOf({ sheets: [{ rows: '<row><c><v>1</v></c></row>'.repeat(1_048_577) }] }),
    { refusal: /more than 1,048,576 rows/ },
  ),
  largeFile(
    'a ZIP bomb in the texts',
    'bomb.xlsx',
    () =>
      workbookOf({
        sheets: [{ rows: '<row><c t="s"><v>0</v></c></row>' }],
        strings: Array.from({ length: 1_500 }, () => 'x'.repeat(100_000)),
      }),
    { refusal: /unpack to more than 128 MiB/ },
  ),
  slowFile(
    'a ZIP bomb in a sheet',
    'bomb-sheet.xlsx',
    () =>
      workbookOf({
        sheets: [
          {
            rows: '',
            xml: `${XML_DECLARATION}<worksheet ${WORKSHEET}><sheetData>${' '.repeat(300 * MIB)}</sheetData></worksheet>`,
          },
        ],
      }),
    { refusal: /^Sheet "Data" has a text of more than 1,048,576 characters/ },
  ),
  file(
    'a document type with external entities',
    'xxe.xlsx',
    () =>
      workbookOf({
        sheets: [
          {
            rows: '',
            xml: `${XML_DECLARATION}<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet ${WORKSHEET}><sheetData><row><c t="str"><v>&e;</v></c></row></sheetData></worksheet>`,
          },
        ],
      }),
    { refusal: /DOCTYPE/ },
  ),
  file(
    'a billion laughs',
    'laughs.xlsx',
    () =>
      workbookOf({
        sheets: [
          {
            rows: '',
            xml: `${XML_DECLARATION}<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><worksheet ${WORKSHEET}><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>`,
          },
        ],
      }),
    { refusal: /DOCTYPE/ },
  ),
  file(
    'XML that breaks off',
    'broken.xlsx',
    () =>
      workbookOf({
        sheets: [
          {
            rows: '',
            xml: `${XML_DECLARATION}<worksheet ${WORKSHEET}><sheetData><row><c t="inlineStr"><is><t>code</t></is></c></row><row><c t="inlineStr"><is><t>A</t>`,
          },
        ],
      }),
    { refusal: /damaged after row 1/ },
  ),
  file(
    'a workbook that is cut in the middle',
    'cut.xlsx',
    () => {
      const whole = sheet(SIMPLE);
      return whole.subarray(0, whole.length / 2);
    },
    { refusal: /^The file is incomplete: upload it again/ },
  ),
  file(
    'a workbook with damaged bytes',
    'damaged.xlsx',
    () => {
      const whole = sheet(SIMPLE);
      return Buffer.concat([whole.subarray(0, 700), randomBytes(200), whole.subarray(900)]);
    },
    { refusal: /damaged|incomplete|workbook/ },
  ),
  file(
    'a part that declares a wrong size',
    'size.xlsx',
    () =>
      workbookWithParts((all) =>
        all.map((part) => (part.path.includes('sheet1') ? { ...part, declaredBytes: 10 } : part)),
      ),
    { refusal: /^Sheet "Data" is damaged/ },
  ),
  file('an encrypted workbook', 'encrypted.xlsx', () => compound('EncryptedPackage'), {
    refusal: /^The workbook is encrypted: remove its password/,
  }),
  file(
    'an encrypted part',
    'zip-encrypted.xlsx',
    () => workbookWithParts((all) => all.map((part) => ({ ...part, isEncrypted: true }))),
    { refusal: /encrypted/ },
  ),
  file('an .xls file', 'old.xls', () => compound(), {
    refusal: /^This is an \.xls file, or another old Office file: save the table as \.xlsx/,
  }),
  file('an .xlsb file', 'binary.xlsb', () => zipOf([{ path: 'xl/workbook.bin', content: 'x' }]), {
    refusal: /^This is an \.xlsb file/,
  }),
  file(
    'an .ods file',
    'open.ods',
    () =>
      zipOf([
        { path: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
        { path: 'content.xml', content: '<x/>' },
      ]),
    { refusal: /^This is an \.ods file/ },
  ),
  file('a ZIP file', 'other.zip', () => zipOf([{ path: 'readme.txt', content: 'hello' }]), {
    refusal: /^This ZIP file contains no workbook/,
  }),

  // Other files.
  file('a PDF', 'file.pdf', '%PDF-1.7\n%\xe2\xe3\n', { refusal: /^This is a PDF file/ }),
  file('a web page', 'page.html', '<!DOCTYPE html><html><body><table></table></body></html>', {
    refusal: /^This is an HTML file/,
  }),
  file(
    'a picture',
    'picture.png',
    () => Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), randomBytes(500)]),
    { refusal: /NUL/ },
  ),
  file('a text compressed with gzip', 'codes.csv.gz', () => gzipSync(CODES), { refusal: /byte \d+ is NUL/ }),
  file('random bytes', 'random.csv', () => Buffer.from(randomBytes(5_000).map((byte) => byte || 1)), {
    refusal: /control characters, the first at byte/,
  }),

  // JSON.
  file(
    'nested JSON',
    'nested.json',
    JSON.stringify([
      { code: 'A', at: { city: 'Bonn' } },
      { code: 'B', at: { city: 'Ulm' } },
    ]),
    { records: 2, read: 'json', columns: ['code', 'at'] },
  ),
  file('JSON with a repeated property', 'twice.json', '[{"code":"A","code":"B","name":"x"},{"code":"C","name":"y"}]', {
    records: 2,
    read: 'json',
    problems: [['MALFORMED', 'element 1']],
  }),
  file('JSON that is cut', 'cut.json', '[{"code":"A"},{"code":"B"', {
    refusal: /^The file is incomplete: upload it again/,
  }),
  file('JSON with text after its end', 'behind.json', '[{"code":"A"}] x', { refusal: /not valid JSON/ }),
  file('JSON of one value', 'value.json', '{"code":"A"}', {
    refusal: /no list of objects: put the objects into an array/,
  }),
  file('JSON of numbers', 'list.json', '[1,2,3]', { refusal: /no list of objects/ }),
  file(
    'deep JSON',
    'deep.json',
    () => `[{"code":"A","x":${'['.repeat(100_000)}${']'.repeat(100_000)}},{"code":"B","x":1}]`,
    { records: 2, problems: [['MALFORMED', 'element 1']] },
  ),
  file('NDJSON with a broken line', 'lines.ndjson', '{"code":"A"}\n{"code":\n{"code":"C"}\n', {
    records: 3,
    read: 'ndjson',
    problems: [['MALFORMED', 'line 2']],
  }),

  // Parquet.
  file('a Parquet file', 'codes.parquet', () => PARQUET, { records: 30, read: 'parquet' }),
  file('a Parquet file with a repeated key', 'twice.parquet', () => parquetOf(REPEATED_CODE), {
    records: 3,
    read: 'parquet',
    settings: { key: [0] },
    problems: [['DUPLICATE_IN_FILE', 'row 3']],
  }),
  file('a Parquet file that is cut', 'cut.parquet', () => PARQUET.subarray(0, 1_000), {
    refusal: /^The file is incomplete: upload it again/,
  }),
  file('a Parquet file with damaged pages', 'damaged.parquet', () => Buffer.from(PARQUET).fill(0xff, 10, 200), {
    refusal: /^Row group 1 of the Parquet file is damaged: write it again/,
  }),
  file('an encrypted Parquet file', 'encrypted.parquet', () => Buffer.from(PARQUET).fill('PARE', PARQUET.length - 4), {
    refusal: /is encrypted/,
  }),
  file('a Parquet file without rows', 'none.parquet', () => parquetOf([{ name: 'code', data: [], type: 'STRING' }]), {
    refusal: /has columns, but no row/,
  }),
];
