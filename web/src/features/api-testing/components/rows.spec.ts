/** Tests the status of a row, the reason for the status, and the text about a complete run. */
import type { TranslationView } from '@rdm/contracts/crosswalks/translation';
import { describe, expect, it } from 'vitest';
import { completeText, toRow, translatedRow } from './rows.ts';

const result = (targetValue: string): TranslationView['results'][number] => ({
  targetValue,
  mappingId: 1,
  confidence: 100,
  approvedBy: 1,
  approvedAt: null,
  approvedEventId: 'e',
  approvedSeq: 1,
});
const waitingRow = toRow(['de', 'Germany'], 0, 2, 0);

describe('a row before its translation', () => {
  it('has the status WAITING', () => expect(waitingRow).toMatchObject({ number: 1, status: 'WAITING', targets: [] }));

  it.each([
    [['de'], 'This row has 1 value, but the header row has 2'],
    [['de', 'Germany', 'x'], 'This row has 3 values, but the header row has 2'],
    [['d\0', 'Germany'], 'A text contains a character that cannot be stored: NUL, or half of a surrogate pair'],
    [['x'.repeat(4_001), 'Germany'], 'The value is longer than 4,000 characters'],
  ])('fails with a reason if its fields are invalid: %#', (cells, detail) =>
    expect(toRow(cells, 4, 2, 0)).toMatchObject({ number: 5, status: 'FAILED', detail }),
  );
});

describe('a translated row', () => {
  it.each<[string, Omit<TranslationView, 'value'>, object]>([
    ['mapped', { results: [result('DEU')] }, { status: 'MAPPED', targets: ['DEU'], detail: '' }],
    [
      'mapped to several values',
      { results: [result('GBR'), result('IMN')] },
      { status: 'MAPPED', targets: ['GBR', 'IMN'], detail: '2 target values' },
    ],
    [
      'given the fixed fallback',
      { results: [], fallback: { targetValue: 'ZZZ', yields: 'FIXED' } },
      { status: 'FALLBACK', targets: ['ZZZ'], detail: 'Fixed value of the crosswalk' },
    ],
    [
      'given the value itself as fallback',
      { results: [], fallback: { targetValue: 'de', yields: 'SOURCE_VALUE' } },
      { status: 'FALLBACK', targets: ['de'], detail: 'The source value itself' },
    ],
    ['unmapped', { results: [] }, { status: 'UNMAPPED', targets: [], detail: 'No approved mapping' }],
  ])('is %s', (_, translation, expected) =>
    expect(translatedRow(waitingRow, { value: 'de', ...translation })).toMatchObject(expected),
  );

  it('shows that its value is empty', () =>
    expect(translatedRow(waitingRow, { value: '', results: [] })).toMatchObject({ detail: 'The value is empty' }));
});

it.each([
  [6, 0, 'Run complete: 6 rows'],
  [1, 1, 'Run complete: 1 row, 1 failed'],
  [6_000, 6_000, 'Run complete: 6,000 rows, 6,000 failed'],
])('the text about a complete run counts its rows and failed rows: %i, %i', (rows, failed, text) =>
  expect(completeText(rows, failed)).toBe(text),
);
