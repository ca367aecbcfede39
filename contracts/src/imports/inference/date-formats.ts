/** Infers the order of day, month and year of a column. */
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
  fits: number;
  /** A text that completes "All values are dates". */
  cause: string;
  question?: Question;
}

/** The order that a day above 12 proves; undefined if the column proves none or both. */
export function provedOrder({ dates }: ColumnStatistics): DayOrMonthFirst | undefined {
  const [isDayFirst, isMonthFirst] = [dates.of('dayFirst') > 0, dates.of('monthFirst') > 0];
  if (isDayFirst === isMonthFirst) return undefined;
  return isDayFirst ? 'DMY' : 'MDY';
}

/** Infers the order of a column. `other` is another column of the file that proves an order. */
export function inferDates(
  column: { index: number; name: string; statistics: ColumnStatistics },
  other: { order: DayOrMonthFirst; name: string } | undefined,
): InferredDates {
  const { dates, typed } = column.statistics;
  const answer = (date: DateOrder, cause: string): InferredDates => ({
    date,
    fits:
      typed.date +
      dates.of('yearFirst', ...(date === 'YMD' ? [] : (['either', 'eitherWithDots', PROOFS[date]] as const))),
    cause,
  });
  const first = (order: DayOrMonthFirst, as: string) => answer(order, ` with the ${FIRST[order]} first, as in ${as}`);
  const hasBoth = dates.of('dayFirst') > 0 && dates.of('monthFirst') > 0;
  const proved = provedOrder(column.statistics);
  if (proved) return first(proved, `"${dates.example(PROOFS[proved])}"`);
  if (!hasBoth) {
    if (dates.of('eitherWithDots') > 0) return answer('DMY', ' with the day first, because dots separate its parts');
    if (dates.of('either') === 0) return answer('YMD', '');
    if (other) return first(other.order, `the column "${other.name}"`);
  }
  const suggested = dates.of('monthFirst') > dates.of('dayFirst') ? 'MDY' : 'DMY';
  const option = (order: DayOrMonthFirst): Question['options'][number] => {
    const example = hasBoth ? dates.example(PROOFS[order]) : dates.example('either');
    return {
      value: order,
      label: `The ${FIRST[order]} comes first`,
      examples: [`${example} → ${isoIn(example, order)}`],
      ...(hasBoth ? { count: dates.of(PROOFS[order]) } : {}),
    };
  };
  return {
    ...answer(suggested, ''),
    question: {
      id: `dateOrder:${column.index}`,
      kind: 'dateOrder',
      column: column.index,
      text: hasBoth
        ? `Dates in "${column.name}" begin with the day and with the month. Which is right?`
        : `Does "${dates.example('either')}" in "${column.name}" begin with the day or the month?`,
      options: [option('DMY'), option('MDY')],
      answer: null,
    },
  };
}

function isoIn(text: string, order: DateOrder): string {
  const parts = datePartsOf(text);
  return (parts && dateInOrder(parts.numbers, order)) ?? '';
}
