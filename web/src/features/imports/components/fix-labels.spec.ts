/** Tests the labels of fixes. */
import type { Fix } from '@rdm/contracts/imports/problems';
import { expect, it } from 'vitest';
import { fixLabel } from './fix-labels.ts';

const NAMES = ['Code', 'Price', 'Since'];
const group = 'WRONG_TYPE|1|aaa';

it.each<[Fix, string]>([
  [{ kind: 'setCell', record: 17, column: 1, value: '12,5' }, 'Set “Price” of row 17 to “12,5”'],
  [{ kind: 'mapValue', group, from: 'n/a', to: '' }, 'Replace “n/a” with an empty cell'],
  [{ kind: 'mapValue', group, from: 'x', to: '1' }, 'Replace “x” with “1”'],
  [{ kind: 'fill', group, value: '0' }, 'Fill “Price” with “0”'],
  [{ kind: 'fill', group, value: '' }, 'Leave “Price” empty'],
  [{ kind: 'change', group, by: 'dropUnit' }, 'Remove the unit'],
  [{ kind: 'change', group, by: 'padZeros', length: 5 }, 'Fill with leading zeros'],
  [
    { kind: 'format', column: 2, format: { date: 'DMY', blank: 'empty' } },
    'Read the dates of “Since” as day, month, year',
  ],
  [
    { kind: 'format', column: 1, format: { decimal: ',', blank: 'empty' } },
    'Read the numbers of “Price” with a decimal comma',
  ],
  [
    { kind: 'format', column: 0, format: { yes: ['ja', 'ok'], no: ['nein'], blank: 'empty' } },
    'Read “ok” as yes and “nein” as no in “Code”',
  ],
  [{ kind: 'format', column: 0, format: { yes: ['x'], no: [], blank: 'empty' } }, 'Read “x” as yes in “Code”'],
  [{ kind: 'type', column: 1, dataType: 'string' }, 'Make “Price” a string'],
  [{ kind: 'skip', group }, 'Skip these rows'],
  [{ kind: 'keep', group, which: 'last' }, 'Keep the last row of each key'],
  [{ kind: 'joinSurplus', group, column: 0 }, 'Join the surplus cells into “Code”'],
])('labels the fix %o', (fix, label) => {
  expect(fixLabel(fix, NAMES)).toBe(label);
});
