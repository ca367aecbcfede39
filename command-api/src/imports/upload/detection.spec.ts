import { Refusal, type TypeField } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { detect, detectDelimiter } from './detection.ts';

const field = (fieldId: number, name: string): TypeField => ({
  fieldId,
  name,
  dataType: 'string',
  isPrimaryKey: fieldId === 1,
  retired: false,
  referencedBy: [],
});
const FIELDS = [field(1, 'Country Code'), field(2, 'Größe')];
const detectText = (text: string, options = {}) => detect(Buffer.from(text).toString('latin1'), true, FIELDS, options);

describe('the delimiter', () => {
  it.each([
    ['comma', ',', 'a,b,c\n1,2,3\n'],
    ['semicolon, with decimal commas', ';', 'a;b\n1,5;2,5\n3,5;4,5\n'],
    ['tab', '\t', 'a\tb, or not\n1\t2\n'],
    ['vertical bar', '|', 'a|b\n"x,y,z"|2\n'],
  ])('can be %s', (_, delimiter, text) => expect(detectDelimiter(text, true)).toBe(delimiter));
  it('is not detected inside quotes', () => {
    expect(detectDelimiter('a,b\n"1;2;3;4",x\n"1;2;3;4",y\n', true)).toBe(',');
  });
  it('is a comma if there is one column', () => expect(detectDelimiter('a\nb\n', true)).toBe(','));
});

describe('the header', () => {
  it('is a record with the name of a field, even if another cell is a number', () => {
    expect(detectText('country code,2024\nDE,83\n').hasHeader).toBe(true);
  });
  it('is absent without a field name if a cell is a number, a date or empty', () => {
    expect(detectText('DE,83\nFR,68\n').hasHeader).toBe(false);
    expect(detectText('DE,2024-01-31\n').hasHeader).toBe(false);
    expect(detectText('DE,\n').hasHeader).toBe(false);
  });
  it('can be set by the caller', () => {
    expect(detectText('DE,83\n', { hasHeader: true }).columns).toEqual(['DE', '83']);
  });
});

describe('the columns', () => {
  it('are matched to fields by name, ignoring case and spaces', () => {
    const { columns, suggestedColumns } = detectText('COUNTRYCODE, größe ,other\nDE,1,2\n');
    expect(columns).toEqual(['COUNTRYCODE', 'größe', 'other']);
    expect(suggestedColumns).toEqual({ COUNTRYCODE: 1, größe: 2 });
  });
  it('are matched so that each field has at most one column', () => {
    expect(detectText('country code,Country Code,x\n').suggestedColumns).toEqual({ 'country code': 1 });
  });
  it('have unique names, with a default for an empty name', () => {
    expect(detectText('country code,a,a,\n').columns).toEqual(['country code', 'a', 'a (2)', 'Column 4']);
  });
  it('are matched by position without a header if there are as many columns as fields', () => {
    expect(detectText('DE,83\n').suggestedColumns).toEqual({ 'Column 1': 1, 'Column 2': 2 });
    expect(detectText('DE,83,1\n').suggestedColumns).toEqual({});
  });
  it('are refused if there are more than a thousand', () => {
    const wide = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',');
    expect(() => detectText(`${wide}\n`)).toThrow(
      new Refusal('INVALID', 'The file has 10,000 columns; at most 1,000 can be imported'),
    );
  });
});

describe('the sample', () => {
  it('contains the complete rows below the header, with escapes for invalid bytes', () => {
    const text = Buffer.concat([Buffer.from('country code,x\nDE,M'), Buffer.from([0xfc]), Buffer.from('\nFR,cu')]);
    expect(detect(text.toString('latin1'), false, FIELDS, {}).sample).toEqual([['DE', 'M\\xfc']]);
  });
  it('needs at least one row', () => {
    expect(() => detectText('\n\n')).toThrow('The file has no rows');
  });
});
