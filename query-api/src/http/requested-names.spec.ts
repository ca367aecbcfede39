/** Tests how names in query parameters are parsed, also names with commas and unknown names. */
import { describe, expect, it } from 'vitest';
import { requestedFields, requestedIncludes } from './requested-names.ts';

const KNOWN = ['code', 'name', 'name, short', 'a,b,c'] as const;

describe('requested fields', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    [' , ', undefined],
    ['name,code', ['name', 'code']],
    ['code, code ,', ['code']],
    ['name, short,code', ['name, short', 'code']],
    ['name,a,b,c,name', ['name', 'a,b,c']],
  ])('are parsed from %j to %j', (text, fields) => expect(requestedFields(text, KNOWN)).toEqual(fields));

  it.each([
    ['nope', 'nope'],
    ['code,a,b', 'a'],
  ])('of %j are refused with the list of known fields', (text, unknown) =>
    expect(() => requestedFields(text, KNOWN)).toThrow(
      `There is no field “${unknown}” to show. Use one of: code, name, name, short, a,b,c`,
    ),
  );
});

describe('requested includes', () => {
  it.each([
    [undefined, []],
    ['', []],
    [' , ', []],
    ['name', ['name']],
    ['name, code', ['name', 'code']],
  ])('are parsed from %j to %j', (text, names) => expect(requestedIncludes(text, ['code', 'name'])).toEqual(names));

  it.each([
    ['code,nope', 'There is no “nope” to include. Use one of: code, name'],
    ['Code', 'There is no “Code” to include. Use one of: code, name'],
    ['code,name,code', '“code” is in include twice: name it once'],
  ])('of %j are refused', (text, words) => expect(() => requestedIncludes(text, ['code', 'name'])).toThrow(words));
});
