/** Tests how values are parsed from inputs and formatted for inputs, including time zones, commas and blanks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatValue, inputTypeOf, parseValue, pastedValues } from './values.ts';

const zone = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'America/New_York';
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe('values', () => {
  it.each([
    ['007', 'string', '007'],
    [' a, b ', 'string', ' a, b '],
    ['7', 'number', 7],
    ['x', 'number', undefined],
    [' ', 'number', undefined],
    ['true', 'boolean', true],
    ['no', 'boolean', undefined],
    ['2024-01-31', 'date', '2024-01-31'],
    ['soon', 'date', undefined],
    ['', 'string', undefined],
  ] as const)('are parsed: “%s” with the type %s becomes %s', (text, dataType, expected) =>
    expect(parseValue(text, dataType)).toBe(expected),
  );

  it('have an input that fits the operator and the data type', () => {
    expect(inputTypeOf('starts_with', 'datetime')).toBe('string');
    expect(inputTypeOf('less_than', 'datetime')).toBe('datetime');
    expect(inputTypeOf('contains', 'array')).toBe('array');
  });
});

describe('a value of a datetime field', () => {
  it('is entered in the user’s time zone and sent as an instant', () => {
    expect(parseValue('2026-01-15T09:30', 'datetime')).toBe('2026-01-15T14:30:00.000Z');
    expect(parseValue('2026-07-15T09:30', 'datetime')).toBe('2026-07-15T13:30:00.000Z');
    expect(parseValue('2026-01-15T', 'datetime')).toBeUndefined();
  });

  it('is displayed in the user’s time zone', () => {
    expect(formatValue('2026-01-15T14:30:00.000Z', 'datetime')).toBe('2026-01-15T09:30');
    expect(formatValue('2026-01-15T14:30:05.250Z', 'datetime')).toBe('2026-01-15T09:30:05.250');
    expect(formatValue('2026-01-15T23:30:00+09:00', 'datetime')).toBe('2026-01-15T09:30');
  });

  it('is read as UTC if it has no time zone', () =>
    expect(formatValue('2026-01-15T14:30', 'datetime')).toBe('2026-01-15T09:30'));

  it('is not converted if it has no time of day', () => {
    expect(formatValue('2026-01-15', 'datetime')).toBe('2026-01-15');
    expect(parseValue('2026-01-15', 'datetime')).toBe('2026-01-15');
  });
});

describe('a pasted column', () => {
  it('is split at line breaks and tabs, but not at commas and blanks', () =>
    expect(pastedValues('A, B\r\n 007 \nC\tD\n\n')).toEqual(['A, B', ' 007 ', 'C', 'D']));
});
