import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryBytes, readWhole } from '../fixtures/memory-bytes.ts';
import { profileBytes } from '../profile-file.ts';
import { JsonSplitter } from './json-splitter.ts';

const ROWS = [
  { code: '0033', name: 'Müller', count: 1.5 },
  { code: '0034', active: true, tags: ['a', 'b'], name: null },
];

describe('records of JSON', () => {
  it.each([
    ['json', JSON.stringify(ROWS)],
    ['json', `\ufeff${JSON.stringify(ROWS, null, 2)}`],
    ['json', JSON.stringify({ version: 1, total: { of: [2] }, rows: ROWS })],
    ['ndjson', `${ROWS.map((row) => JSON.stringify(row)).join('\n')}\n`],
    ['ndjson', ROWS.map((row) => JSON.stringify(row)).join('\r\n\r\n')],
  ])('of the format %s have a column for each property name', async (format, text) => {
    const profile = await readWhole(text);
    expect(profile.format).toBe(format);
    expect(profile.columns.map(({ name, dataType }) => [name, dataType])).toEqual([
      ['code', 'string'],
      ['name', 'string'],
      ['count', 'number'],
      ['active', 'boolean'],
      ['tags', 'string'],
    ]);
    expect(profile.rows).toEqual([
      ['0033', 'Müller', '1.5', '', ''],
      ['0034', '', '', 'true', '["a","b"]'],
    ]);
    expect(profile).toMatchObject({ key: [0], questions: [], records: 2 });
  });
  it('have numbers with many digits as texts', async () => {
    const { columns, rows } = await readWhole(
      '[{"code":"a","nr":12345678901234567890,"x":{"y":[12345678901234567890]}},{"code":"b","nr":1}]',
    );
    expect(columns[1]).toMatchObject({ dataType: 'string', reason: expect.stringContaining('more digits') });
    expect(rows[0]).toEqual(['a', '12345678901234567890', '{"y":[12345678901234567890]}']);
  });
  it('can be malformed without an effect on other records', async () => {
    const deep = `{"a":${'['.repeat(200)}${']'.repeat(200)}}`;
    const elements = ['{"a":1}', '{"a":1,}', '7', `{"a":"${'x'.repeat(2_000_000)}"}`, deep, '{"a":"\xff"}', '{"a":2}'];
    for (const content of [`[${elements.join(',')}]`, elements.join('\n')]) {
      const { sourceRecords, records } = await readWhole(Buffer.from(content, 'latin1'));
      expect(records).toBe(7);
      expect(sourceRecords.map(({ line, malformed }) => [line, malformed?.rule.slice(0, 20) ?? ''])).toEqual([
        [1, ''],
        [2, 'the text is not vali'],
        [3, 'the value is not an '],
        [4, 'there are more than '],
        [5, 'values are nested mo'],
        [6, 'there are bytes that'],
        [7, ''],
      ]);
    }
  });
  it('are the elements of an array that is read in pieces of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()))),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (values, size, isNested) => {
          const text = JSON.stringify(isNested ? { id: 1, 'a"[': {}, list: values } : values, null, 1);
          const splitter = new JsonSplitter();
          const elements = [];
          for (let at = 0; at < text.length; at += size) elements.push(...splitter.push(text.slice(at, at + size)));
          splitter.end();
          expect(elements.map((element) => JSON.parse(element.text))).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });
});

it.each([
  ['[{"a":1},{"a":', 'The file is incomplete: upload it again.'],
  ['{"a":{"b":1}}', 'This JSON file has no list of objects: put the objects into an array.'],
  ['{"a":[{}],"b":[{}]}', 'This JSON file has several lists, "a" and "b": keep the one to import.'],
  ['[{"a":1} {"a":2}]', 'The file is not valid JSON: a comma is missing after element 1.'],
  ['[{"a":1}] x', 'The file is not valid JSON: text follows the end of the document.'],
  ['[]', 'The file is empty.'],
])('refuses %s', async (text, message) => {
  await expect(profileBytes(memoryBytes(text), {})).rejects.toThrow(message);
});
