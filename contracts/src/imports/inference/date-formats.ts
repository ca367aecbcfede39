/** Infers the order of day, month and year in the dates of a column. */
import type { ColumnFormat } from '../column-formats.ts';
import type { Question } from '../problems.ts';
import type { ColumnStatistics, DateClass } from './column-statistics.ts';
import { dateInOrder, datePartsOf } from './read-cell-value.ts';

export type DateOrder = NonNullable<ColumnFormat['date']>;
type DayOrMonthFirst = Exclude<DateOrder, 'YMD'>;

const PROOFS: Record<DayOrMonthFirst, DateClass> = { DMY: 'dayFirst', MDY: 'monthFirst' };
const FIRST: Record<DayOrMonthFirst, string> = { DMY: 'day', MDY: 'month' };

export interface InferredDates {
  date: DateOrder;
  /** The number of values that fit the format. */
  fits: number;
  /** The end of the sentence "All values are dates…", with the reason for the format. */
  explanation: string;
  question?: Question;
}

/** The order that a day above 12 proves; undefined if the column proves neither order or both. */
export function provedOrder({ dates }: ColumnStatistics): DayOrMonthFirst | undefined {
  const [hasDayFirst, hasMonthFirst] = [dates.of('dayFirst') > 0, dates.of('monthFirst') > 0];
  if (hasDayFirst === hasMonthFirst) return undefined;
  return hasDayFirst ? 'DMY' : 'MDY';
}

export const hasBothDateOrders = ({ dates }: ColumnStatistics): boolean =>
  dates.of('dayFirst') > 0 && dates.of('monthFirst') > 0;

/** Infers the order of a column. `other` is another column of the file that proves an order. */
export function inferDates(
  column: { index: number; name: string; statistics: ColumnStatistics },
  other: { order: DayOrMonthFirst; name: string } | undefined,
): InferredDates {
  const { dates, typed } = column.statistics;
  const inferredWith = (date: DateOrder, explanation: string): InferredDates => {
    const fitting: DateClass[] =
      date === 'YMD' ? ['yearFirst'] : ['yearFirst', 'ambiguous', 'ambiguousWithDots', PROOFS[date]];
    return { date, fits: typed.date + dates.of(...fitting), explanation };
  };
  const inferredFirst = (order: DayOrMonthFirst, example: string) =>
    inferredWith(order, ` with the ${FIRST[order]} first, as in ${example}`);
  const hasBoth = hasBothDateOrders(column.statistics);
  const proved = provedOrder(column.statistics);
  if (proved) return inferredFirst(proved, `"${dates.example(PROOFS[proved])}"`);
  if (!hasBoth) {
    if (dates.of('ambiguousWithDots') > 0)
      return inferredWith('DMY', ' with the day first, because dots separate day, month and year');
    if (dates.of('ambiguous') === 0) return inferredWith('YMD', '');
    if (other) return inferredFirst(other.order, `the column "${other.name}"`);
  }
  const suggested = dates.of('monthFirst') > dates.of('dayFirst') ? 'MDY' : 'DMY';
  const option = (order: DayOrMonthFirst): Question['options'][number] => {
    const example = hasBoth ? dates.example(PROOFS[order]) : dates.example('ambiguous');
    return {
      value: order,
      label: `The ${FIRST[order]} comes first`,
      examples: [`${example} → ${isoIn(example, order)}`],
      ...(hasBoth ? { count: dates.of(PROOFS[order]) } : {}),
    };
  };
  return {
    ...inferredWith(suggested, ''),
    question: {
      id: `dateOrder:${column.index}`,
      kind: 'dateOrder',
      column: column.index,
      text: hasBoth
        ? `Some dates in "${column.name}" begin with the day, others with the month. Which is right?`
        : `Does "${dates.example('ambiguous')}" in "${column.name}" begin with the day or the month?`,
      options: [option('DMY'), option('MDY')],
      answer: null,
    },
  };
}

function isoIn(text: string, order: DateOrder): string {
  const parts = datePartsOf(text);
  return (parts && dateInOrder(parts.numbers, order)) ?? '';
}
