/** Labels for the result of a validation test. */
import type { BrokenRule, ValidationProblem, ValidationTestView } from '@rdm/contracts/imports/validation-test';
import { formatNumber, rowsText } from '../../../lib/number-format.ts';

interface Verdict {
  tone: 'success' | 'warning';
  title: string;
  text: string;
}

export function verdict({ format, rows, invalidRows, rules }: ValidationTestView): Verdict {
  if (rows === 0) {
    const text = format === 'json' ? 'The list is empty.' : 'The first line names the columns, and no row follows.';
    return { tone: 'warning', title: 'There are no rows', text };
  }
  if (invalidRows > 0) {
    const title = `${formatNumber(invalidRows)} of ${rowsText(rows)} ${invalidRows === 1 ? 'is' : 'are'} invalid`;
    return {
      tone: 'warning',
      title,
      text: 'An import rejects invalid rows. Correct the problems below and validate again.',
    };
  }
  const title = rows === 1 ? 'The row is valid' : `All ${rowsText(rows)} are valid`;
  const text = rules.length === 0 ? 'No problems found.' : 'An import omits the columns that match no field.';
  return { tone: 'success', title, text };
}

/** The number of rows that break a rule, or the number of columns for a rule about columns. */
export const countText = ({ rows, problems }: Pick<BrokenRule, 'rows' | 'problems'>): string =>
  rows > 0 ? rowsText(rows) : `${formatNumber(problems)} ${problems === 1 ? 'column' : 'columns'}`;

/** Describes the place and the value of a problem: "Line 3, size: many". */
export function exampleText({ line, column, value }: ValidationProblem, format: ValidationTestView['format']): string {
  const position = line === null ? [] : [`${format === 'json' ? 'Row' : 'Line'} ${line}`];
  const location = [...position, ...(column === null ? [] : [column])].join(', ');
  return value === null || value === '' ? location : `${location}: ${value}`;
}
