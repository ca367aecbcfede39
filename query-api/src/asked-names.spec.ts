/** Names that a question lists: read as they are, commas in them included, and refused where they are none. */
import { describe, expect, it } from 'vitest';
import { fieldsAsked } from './asked-names.ts';

const KNOWN = ['code', 'name', 'name, short', 'a,b,c'] as const;

describe('the fields that are asked for', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    [' , ', undefined],
    ['name,code', ['name', 'code']],
    ['code, code ,', ['code']],
    ['name, short,code', ['name, short', 'code']],
    ['name,a,b,c,name', ['name', 'a,b,c']],
  ])('%j are %j', (text, fields) => expect(fieldsAsked(text, KNOWN)).toEqual(fields));

  it.each([
    ['nope', 'nope'],
    ['code,a,b', 'a'],
  ])('%j are refused, and what there is is named', (text, unknown) =>
    expect(() => fieldsAsked(text, KNOWN)).toThrow(
      `There is no field “${unknown}” to show: name code, name, name, short, a,b,c`,
    ),
  );
});
