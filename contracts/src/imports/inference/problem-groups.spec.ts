/** Specifies the messages and fixes of groups of problems, and the warnings about cells. */
import { describe, expect, it } from 'vitest';
import type { DataType } from '../../text/rows.ts';
import type { ColumnFormat } from '../column-formats.ts';
import { changedValue, fixesFor, messageFor, severityOf, warningOf } from './problem-groups.ts';

const column = (dataType: DataType, format: Partial<ColumnFormat> = {}) => ({
  index: 2,
  name: 'valid_from',
  dataType,
  format: { blank: 'empty' as const, ...format },
  codeLength: 5,
});
const group = (rule: Parameters<typeof fixesFor>[0]['rule'], ...values: string[]) => ({
  id: 'g',
  rule,
  column: 2,
  shape: '',
  count: 412,
  values: values.map((value) => ({ value, count: 1 })),
});

describe('the message of a group', () => {
  it('counts the rows, names the column of a wrong type, and lists up to three values', () => {
    expect(messageFor(group('WRONG_TYPE', '31.12.2025'), column('date'))).toBe(
      '412 rows: "valid_from" is not a date: 31.12.2025',
    );
    expect(messageFor(group('WRONG_TYPE', '31.02.2024', '45.13.2023'), column('date'))).toBe(
      '412 rows: "valid_from" is not a date: 31.02.2024, 45.13.2023',
    );
    expect(messageFor(group('WRONG_TYPE', 'a', 'b', 'c', 'd'), column('date'))).toMatch(/: a, b, c, …$/);
    expect(messageFor(group('MISSING_KEY', ''), column('string'))).toMatch(/empty$/);
    expect(messageFor({ ...group('DUPLICATE_KEY', 'a'), count: 1 }, column('string'))).toBe(
      '1 row: The key exists already in the data set: a',
    );
  });
});

describe('the fixes of a group', () => {
  it.each<[string, ReturnType<typeof column>, string[], object]>([
    ['a format of dates', column('date'), ['31.12.2025'], { kind: 'format', column: 2, format: { date: 'DMY' } }],
    [
      'the order of dates that reads the most values',
      column('date'),
      ['31.12.2025', '31.02.2025'],
      { kind: 'format', format: { date: 'DMY' } },
    ],
    ['the type string if the day does not exist', column('date'), ['31.02.2025'], { kind: 'type', dataType: 'string' }],
    [
      'the type string if some values of a column with the order DMY are no dates',
      column('date', { date: 'DMY' }),
      ['12/31/2025', 'x'],
      { kind: 'type' },
    ],
    ['a format of numbers', column('number'), ['1.234,5'], { kind: 'format', format: { decimal: ',', group: '.' } }],
    ['words of booleans', column('boolean'), ['Ja', 'nein'], { kind: 'format', format: { yes: ['ja'], no: ['nein'] } }],
    ['letters of booleans', column('boolean'), ['Y', 'N'], { kind: 'format', format: { yes: ['y'], no: ['n'] } }],
    ['an empty cell', column('date'), ['N/A'], { kind: 'mapValue', from: 'N/A', to: '' }],
    ['the type string for NA', column('date'), ['NA'], { kind: 'type', column: 2, dataType: 'string' }],
    ['a number without its unit', column('number'), ['12 kg', '€ 5'], { kind: 'change', by: 'dropUnit' }],
    ['the type string for words', column('number'), ['many'], { kind: 'type', dataType: 'string' }],
  ])('begin with %s', (_, fixedColumn, values, fix) => {
    expect(fixesFor(group('WRONG_TYPE', ...values), fixedColumn)[0]).toMatchObject(fix);
  });
  it('join surplus cells only if a record has more cells than the file has columns', () => {
    const surplus = { ...group('FIELD_COUNT'), shape: 'more cells' };
    expect(fixesFor(surplus, null, 1)[0]).toMatchObject({ kind: 'joinSurplus', column: 1 });
    expect(fixesFor(group('FIELD_COUNT'), null, 1)).toEqual([{ kind: 'skip', group: 'g' }]);
    expect(messageFor(surplus, null)).toBe('412 rows: The record has more cells than the file has columns');
    expect(messageFor(group('FIELD_COUNT'), null)).toMatch(/fewer cells/);
  });
  it('begin with dropping times, and with keeping the first of repeated keys', () => {
    expect(fixesFor(group('TIME_IN_DATE', '2025-04-03T10:00:00'), column('date'))[0]).toMatchObject({ by: 'dropTime' });
    expect(fixesFor(group('DUPLICATE_IN_FILE', 'a'), null)[0]).toMatchObject({ kind: 'keep', which: 'first' });
  });
  it.each([
    ['ENCODING', true],
    ['WRONG_TYPE', true],
    ['MISSING_KEY', true],
    ['SPACES', false],
    ['SCIENTIFIC', false],
    ['ZEROS_LOST', false],
    ['EMPTY_LABEL', false],
    ['DATE_ORDER', false],
  ] as const)('end with skipping the rows if the rule %s rejects rows: %s', (rule, isOffered) => {
    const last = fixesFor(group(rule, 'x'), column('string')).at(-1);
    expect(last?.kind === 'skip').toBe(isOffered);
    expect(severityOf(rule) === 'error').toBe(isOffered);
  });
});

it.each([
  [' a ', 'trim', 'a'],
  ['2025-04-03T10:00:00', 'dropTime', '2025-04-03'],
  ['3.4.2025 10:00', 'dropTime', '3.4.2025'],
  ['at 10:00', 'dropTime', 'at 10:00'],
  ['1.234,5 €', 'dropUnit', '1.234,5'],
  ['5%', 'dropUnit', '5'],
  ['-12kg', 'dropUnit', '-12'],
  ['many', 'dropUnit', 'many'],
  ['33', 'padZeros', '00033'],
] as const)('changes %j by %s to %j', (text, by, changed) => {
  expect(changedValue(text, by, 5)).toBe(changed);
});

it.each([
  [' a', 'string', undefined, 'SPACES'],
  ['a', 'string', undefined, undefined],
  ['1.23E+12', 'number', undefined, 'SCIENTIFIC'],
  ['1e+21', 'number', 'number', undefined],
  ['33', 'string', 'number', 'ZEROS_LOST'],
  ['00033', 'string', undefined, undefined],
  [' 5', 'number', undefined, undefined],
  ['', 'string', undefined, undefined],
] as const)('gives the cell %j of the type %s and the kind %s the warning %s', (text, dataType, kind, rule) => {
  expect(warningOf(text, kind, { ...column(dataType), isLabel: false })).toBe(rule);
});

it.each([
  ['9/5/2017', { date: 'DMY' }, 'DATE_ORDER'],
  ['9/5/2017', { date: 'MDY' }, 'DATE_ORDER'],
  ['09.05.2017', { date: 'MDY' }, 'DATE_ORDER'],
  ['09.05.2017', { date: 'DMY' }, undefined],
  ['3/3/2017', { date: 'DMY' }, undefined],
  ['25/3/2017', { date: 'DMY' }, undefined],
  ['2017-05-09', { date: 'DMY' }, undefined],
] as const)('gives the date %j in a column of mixed orders with the format %j the warning %s', (text, format, rule) => {
  const dates = { ...column('date'), isLabel: false };
  expect(warningOf(text, undefined, { ...dates, mixedDates: { blank: 'empty', ...format } })).toBe(rule);
  expect(warningOf(text, undefined, dates)).toBeUndefined();
});

it('warns about a row without a label', () => {
  const label = { ...column('string'), isLabel: true };
  expect(['', ' ', 'Name'].map((text) => warningOf(text, undefined, label))).toEqual([
    'EMPTY_LABEL',
    'EMPTY_LABEL',
    undefined,
  ]);
  const empty = group('EMPTY_LABEL', '');
  expect(messageFor(empty, column('string'))).toBe('412 rows: "valid_from" is the label and empty');
  expect(severityOf('EMPTY_LABEL')).toBe('warning');
});
