/** The text of a fix: on the button that applies it, and in the list of fixes. */
import type { ColumnFormat } from '@rdm/contracts/imports/column-formats';
import { parseGroupId } from '@rdm/contracts/imports/problem-groups';
import type { Fix } from '@rdm/contracts/imports/problems';
import { DATA_TYPE_WORDS } from '@rdm/contracts/text/data-type-words';

const CHANGES = {
  trim: 'Remove spaces',
  dropTime: 'Remove the time',
  dropUnit: 'Remove the unit',
  padZeros: 'Fill with leading zeros',
} as const;
const DATES = { YMD: 'year, month, day', DMY: 'day, month, year', MDY: 'month, day, year' } as const;

export function fixLabel(fix: Fix, columnNames: readonly string[]): string {
  const name = (column: number | null) => (column === null ? 'the row' : `“${columnNames[column] ?? ''}”`);
  switch (fix.kind) {
    case 'setCell':
      return `Set ${name(fix.column)} of row ${fix.record} to “${fix.value}”`;
    case 'mapValue':
      return `Replace “${fix.from}” with ${fix.to === '' ? 'an empty cell' : `“${fix.to}”`}`;
    case 'fill':
      if (fix.value === '') return `Leave ${name(parseGroupId(fix.group).column)} empty`;
      return `Fill ${name(parseGroupId(fix.group).column)} with “${fix.value}”`;
    case 'change':
      return CHANGES[fix.by];
    case 'format':
      if (fix.format.date) return `Read the dates of ${name(fix.column)} as ${DATES[fix.format.date]}`;
      if (fix.format.decimal) {
        return `Read the numbers of ${name(fix.column)} with a decimal ${fix.format.decimal === ',' ? 'comma' : 'point'}`;
      }
      return `Read ${booleanWords(fix.format)} in ${name(fix.column)}`;
    case 'type':
      return `Make ${name(fix.column)} ${DATA_TYPE_WORDS[fix.dataType].one}`;
    case 'skip':
      return 'Skip these rows';
    case 'keep':
      return fix.which === 'first' ? 'Keep the first row of each key' : 'Keep the last row of each key';
    case 'joinSurplus':
      return `Join the surplus cells into ${name(fix.column)}`;
  }
}

/** Names the words that the fix adds, which are the last of each list, such as “ja” as yes and “nein” as no. */
function booleanWords({ yes, no }: ColumnFormat): string {
  const words = [yes?.length ? `“${yes.at(-1)}” as yes` : '', no?.length ? `“${no.at(-1)}” as no` : ''];
  return words.filter((word) => word !== '').join(' and ');
}
