/** Formats numbers with separators: 12,345. */
import type { Total } from '@rdm/contracts/lists/filter';

const format = new Intl.NumberFormat('en');

export const formatNumber = (value: number | bigint): string => format.format(value);

/** Formats the total of a list. A total that was counted only up to a limit becomes “10,000+”. */
export const totalText = (total: Total): string =>
  typeof total === 'number' ? formatNumber(total) : `${formatNumber(total.atLeast)}+`;

/** “1 row”, “2,000 rows”. */
export const rowsText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`;
