/** Formats numbers with separators: 12,345. */
const format = new Intl.NumberFormat('en');

export const formatNumber = (value: number | bigint): string => format.format(value);
