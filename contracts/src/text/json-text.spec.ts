import { describe, expect, it } from 'vitest';
import { errorPosition, parseJson } from './json-text.ts';

describe('parseJson', () => {
  it('parses a document', () => {
    expect(parseJson(' [{"a": "x\\n\\u00e9", "b": [-1.5e3, true, null, {}]}]\n')).toEqual([
      { a: 'x\né', b: [-1500, true, null, {}] },
    ]);
  });

  it.each([
    ['a value that is missing', '[\n  {"a":}\n]', 'line 2, column 8'],
    ['a comma that is missing', '[{"a": 1}\n {"a": 2}]', 'line 2, column 2'],
    ['a comma too many', '{"a": 1,}', 'line 1, column 9'],
    ['a colon that is missing', '{"a" 1}', 'line 1, column 6'],
    ['a name without quotation marks', '{a: 1}', 'line 1, column 2'],
    ['a bracket that does not match', '[1}', 'line 1, column 3'],
    ['a string that is never closed', '["a",\n "b]', 'line 2, column 2'],
    ['a string with a line break', '["a\nb"]', 'line 1, column 2'],
    ['an escape that does not exist', '["\\x"]', 'line 1, column 2'],
    ['a number with leading zeros', '[007]', 'line 1, column 2'],
    ['a word', '[yes]', 'line 1, column 2'],
    ['a second document', '[] []', 'line 1, column 4'],
    ['an early end', '[{"a": 1', 'line 1, column 9'],
    ['nothing', '', 'line 1, column 1'],
  ])('reports the place of %s', (_, text, place) => {
    expect(() => parseJson(text)).toThrow(`The file is not valid JSON at ${place}: `);
  });

  it('reports the error without an excerpt of the text', () => {
    expect(() => parseJson('[{"a": 1}, {"b": }] and more')).toThrow(
      /^The file is not valid JSON at line 1, column 18: Unexpected token '}'$/,
    );
  });

  it('finds an error after a string of ten million characters', () => {
    const text = `["${'ab\\n'.repeat(2_500_000)}" x]`;
    expect(errorPosition(text)).toBe(text.length - 2);
  });
});
