import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { memoryBytes, readWhole } from './fixtures/memory-bytes.ts';
import { profileBytes } from './profile-file.ts';

const LINES = 'Code;Name;Preis\n001;Müller & Söhne;1,5\n002;Größe;2,25\n';

describe('the encoding of a text', () => {
  it.each([
    ['utf-8', Buffer.from(LINES)],
    ['utf-8', Buffer.from(`\ufeff${LINES}`)],
    ['utf-16le', Buffer.from(LINES, 'utf16le')],
    ['utf-16le', Buffer.from(`\ufeff${LINES}`, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${LINES}`, 'utf16le').swap16()],
    ['windows-1252', iconv.encode(LINES.replace('001', '€'), 'windows-1252')],
  ])('is detected as %s from the bytes', async (encoding, content) => {
    const { read, rows } = await readWhole(content);
    expect(read).toMatchObject({ encoding, delimiter: ';', headerRow: 1 });
    expect(rows[0]?.slice(1)).toEqual(['Müller & Söhne', '1,5']);
  });
  it('is detected as Shift JIS without a question', async () => {
    const text = 'コード,名称\n001,東京\n002,大阪\n003,京都\n004,札幌市役所\n005,こんにちは世界\n006,名古屋\n';
    const { read, rows, questions } = await readWhole(iconv.encode(text, 'shift_jis'));
    expect(read.encoding).toBe('shift_jis');
    expect(rows[0]).toEqual(['001', '東京']);
    expect(questions.map(({ kind }) => kind)).not.toContain('encoding');
  });
  it('is requested from the user, with examples, if the text is Cyrillic', async () => {
    const { questions, read } = await readWhole(iconv.encode('Код;Имя\n001;Москва\n002;Казань\n', 'windows-1251'));
    const question = questions.find(({ kind }) => kind === 'encoding');
    const cyrillic = question?.options.find(({ value }) => value === 'windows-1251');
    expect(cyrillic?.examples).toEqual(['Код', 'Имя', 'Москва']);
    const readAsCyrillic = await readWhole(iconv.encode('Код;Имя\n001;Москва\n', 'windows-1251'), {
      ...read,
      encoding: 'windows-1251',
    });
    expect(readAsCyrillic.rows).toEqual([['001', 'Москва']]);
  });
});

describe('the delimiter of a text', () => {
  it.each([
    [';', 'Price;Name\n1,5;Berlin\n2,5;Paris\n'],
    [',', 'Code,Name\n1,"Smith, John"\n2,Doe\n'],
    ['\t', 'Code\tName\n1\tSmith, John\n2\tDoe\n'],
    ['|', 'Code|Name\n1|a;b\n2|c\n'],
    [':', 'code:name\nroot:x\nmail:y\n'],
    ['^', 'sep=^\nCode^Name\n1^a\n'],
  ])('is detected as %j', async (delimiter, text) => {
    const { read, questions } = await readWhole(text);
    expect(read.delimiter).toBe(delimiter);
    expect(questions.filter(({ kind }) => kind === 'delimiter')).toEqual([]);
  });
  it('can be set by the options', async () => {
    const { columns } = await readWhole('a#b;c\n1#2;3\n', { delimiter: '#', headerRow: 1 });
    expect(columns.map(({ name }) => name)).toEqual(['a', 'b;c']);
  });
  it('splits no value of a file with one column', async () => {
    const { columns, rows } = await readWhole('Name\nBerlin\nParis, Texas\n');
    expect(columns.map(({ name }) => name)).toEqual(['Name']);
    expect(rows).toEqual([['Berlin'], ['Paris, Texas']]);
  });
  it('is taken from a first line such as "sep=;", which is not a record', async () => {
    const { rows, read } = await readWhole('sep=;\nCode;Name\n1;a\n');
    expect(read.headerRow).toBe(2);
    expect(rows).toEqual([['1', 'a']]);
  });
});

describe('the header of a text', () => {
  it('is found below title rows', async () => {
    const { read, columns, preview } = await readWhole('Prices of 2025\n\nCode,Name,Price\nA1,x,1.5\nA2,y,2.5\n');
    expect(read.headerRow).toBe(3);
    expect(columns.map(({ name }) => name)).toEqual(['Code', 'Name', 'Price']);
    expect(preview[0]).toEqual({ record: 4, place: 'line 4', cells: ['A1', 'x', '1.5'] });
  });
  it('is requested from the user if no row is certainly the header', async () => {
    const { questions, columns } = await readWhole('1,2\n3,4\n');
    expect(questions.map(({ kind }) => kind)).toEqual(['header']);
    expect(columns.map(({ name }) => name)).toEqual(['Column 1', 'Column 2']);
  });
  it('is absent if the options set it to row 0', async () => {
    const { rows, columns } = await readWhole('Code,Name\n1,a\n', { headerRow: 0 });
    expect(columns.map(({ name }) => name)).toEqual(['Column 1', 'Column 2']);
    expect(rows).toHaveLength(2);
  });
});

it('reads only the records in the range of the read options', async () => {
  const { rows, records } = await readWhole('Code\n1\n2\n3\n4\n', { firstRecord: 3, lastRecord: 4 });
  expect([rows, records]).toEqual([[['2'], ['3']], 2]);
});
it('counts a record with too many fields, but excludes the record from the profile', async () => {
  const { records, columns } = await readWhole('Code,Name\n1,a\n2,b,c\n3,d\n4,e\n');
  expect(records).toBe(4);
  expect(columns[1]).toMatchObject({ records: 3, distinct: 3 });
});
it.each([
  ['', 'The file is empty.'],
  ['\n\n', 'The file is empty.'],
  ['%PDF-1.7\n1 0 obj', 'This is a PDF file: save the table as .xlsx or .csv.'],
  ['<?xml version="1.0"?>\n<table/>', 'This is an XML file: save the table as .xlsx or .csv.'],
  ['a\0bcdefgh,ijklmnop,qrstuv', 'This is not a table: byte 2 is NUL.'],
  [
    Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(','),
    'Line 1 has 10,000 columns; at most 1,000 can be imported.',
  ],
])('refuses $0', async (content, message) => {
  await expect(profileBytes(memoryBytes(content), {})).rejects.toThrow(message);
});
