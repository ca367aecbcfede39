/** Infers the data type of a column from all its values. */
import type { DataType } from '../../text/rows.ts';
import { isBooleanName, isCodeName } from './column-names.ts';
import { BOOLEAN_PAIRS, type ColumnStatistics, DIGIT_LOSSES, type DigitLoss } from './column-statistics.ts';
import { bestSeparators } from './number-formats.ts';

export interface NamedColumn {
  index: number;
  name: string;
  statistics: ColumnStatistics;
  /** The number of records of the file. */
  records: number;
}

export interface InferredType {
  dataType: DataType;
  /** The number of values that have the type. */
  fits: number;
  /** Why the column is a text although its values are numbers. */
  cause?: string;
  /** The words for true and false in a boolean column. */
  pair?: readonly [string, string];
}

const SHARE = 0.9;
const FITS_MIN = 10;
const isEnough = (fits: number, values: number): boolean =>
  values > 0 && (fits === values || (fits >= FITS_MIN && fits >= SHARE * values));

/**
 * Infers the first type that fits, in the order boolean, date, number, text. A column of numbers is a text if
 * `textReason` returns a reason.
 */
export function inferType(column: NamedColumn): InferredType {
  const { statistics } = column;
  const { values } = statistics;
  const boolean = booleanType(column);
  if (isEnough(boolean.fits, values)) return boolean;
  const dates = dateFits(statistics);
  if (isEnough(dates, values)) return { dataType: 'date', fits: dates };
  const numbers = numberFits(statistics);
  if (!isEnough(numbers, values)) return { dataType: 'string', fits: values };
  const cause = textReason(column);
  return cause === undefined ? { dataType: 'number', fits: numbers } : { dataType: 'string', fits: values, cause };
}

/** The boolean type with the pair of words to which most values belong. */
export function booleanType({ name, statistics, records }: NamedColumn): InferredType {
  let best: InferredType = { dataType: 'boolean', fits: 0 };
  for (const [index, pair] of BOOLEAN_PAIRS.entries()) {
    const typed = pair[0] === 'true' ? statistics.typed.boolean : 0;
    const fits = (statistics.booleans[index] as number) + typed;
    // A single word, such as "x", is a boolean only if all other cells are empty and the column has empty cells.
    if (pair[1] === '' && (statistics.values === records || fits < statistics.values)) continue;
    if (pair[0] === '1' && !isBooleanName(name)) continue;
    if (fits > best.fits) best = { dataType: 'boolean', fits, pair };
  }
  return best;
}

/** The number of dates in a column, read in the order of day and month that fits most of them. */
export function dateFits({ dates, typed }: ColumnStatistics): number {
  const fitsBothOrders = dates.of('yearFirst', 'ambiguous', 'ambiguousWithDots');
  return typed.date + fitsBothOrders + Math.max(dates.of('dayFirst'), dates.of('monthFirst'));
}

export const numberFits = (statistics: ColumnStatistics): number =>
  statistics.typed.number + bestSeparators(statistics).fits;

const LOSS_REASONS: Record<DigitLoss, (example: string) => string> = {
  leadingZero: (example) => `"${example}" would lose its leading zero as a number`,
  plusSign: (example) => `"${example}" would lose its plus sign as a number`,
  manyDigits: (example) => `"${example}" has more digits than a number can hold`,
  textCell: (example) => `the cell with "${example}" is formatted as text`,
};

/** Returns why a column is a text although its values are numbers; undefined if its type is number. */
function textReason({ name, statistics }: NamedColumn): string | undefined {
  // Only a text cell can contain a number with a decimal comma or separated thousands. If the column has such a
  // number, the text format of its cells is no reason.
  const isLoss = (each: DigitLoss) => each !== 'textCell' || !statistics.hasWrittenNumbers;
  const loss = DIGIT_LOSSES.find((each) => statistics.losses.of(each) > 0 && isLoss(each));
  if (loss) return LOSS_REASONS[loss](statistics.losses.example(loss));
  if (statistics.shownLength !== undefined) return 'the format of its cells shows leading zeros';
  return isCodeName(name) ? `columns named "${name}" usually contain codes` : undefined;
}
