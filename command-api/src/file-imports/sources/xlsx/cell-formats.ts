/** Interprets the number formats of a workbook: which numbers are dates or times, and how they are written as text. */
import type { CellKind } from '@rdm/contracts';

/** The meaning of the number in a cell. */
export type NumberMeaning = 'number' | 'date' | 'time';

/** Built-in formats of dates, East Asian ones included, and of times. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
const isBuiltInTime = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 32 && id <= 35);

/** The meaning of a number format, by its id and, for a custom format, its code. */
export function meaningOf(id: number, code: string | undefined): NumberMeaning {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : isBuiltInTime(id) ? 'time' : 'number';
  // Elapsed hours, minutes and seconds count as a number.
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'number';
  // Quoted texts, escaped characters, padding, and brackets such as colours and locales are not part of the pattern.
  const [pattern = ''] = code
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replace(/am\/pm|a\/p/gi, 'h')
    .split(';');
  if (/general/i.test(pattern)) return 'number';
  if (/[yd]/i.test(pattern)) return 'date';
  if (/[hs]/i.test(pattern)) return 'time';
  return /m/i.test(pattern) ? 'date' : 'number';
}

/** The minimum number of digits that a format like 00000 shows; 0 for other formats. */
export const digitsShown = (code: string | undefined): number => (/^0{2,}$/.test(code ?? '') ? (code ?? '').length : 0);

/** Built-in formats of numbers. */
const BUILT_IN_CODES: Readonly<Record<number, string>> = {
  ...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00' },
};
/** The maximum length of a format code in Excel. */
const CODE_CHARACTERS_MAX = 255;

/**
 * The format code to write into a file of rejected rows; undefined for the general format, text, built-in formats
 * without a code in `BUILT_IN_CODES`, and codes that Excel refuses.
 */
export function formatCodeToWrite(id: number, code: string | undefined): string | undefined {
  const formatCode = code ?? BUILT_IN_CODES[id];
  if (formatCode === undefined || /^(?:general|@)?$/i.test(formatCode)) return undefined;
  return formatCode.length > CODE_CHARACTERS_MAX || /[\p{Cc}\ufffe\uffff]/u.test(formatCode) ? undefined : formatCode;
}

const DAY_MS = 86_400_000;
const SECONDS_PER_DAY = 86_400;
/** The number of the last day of the year 9999 in the date system that begins in 1900. */
const SERIAL_MAX = 2_958_465;
/** Excel counts 29 February 1900, a day that did not exist. */
const NO_DAY = 60;
/** The difference between the day numbers of the date systems that begin in 1900 and in 1904. */
const DAYS_BEFORE_1904 = 1_462;

export interface TypedText {
  text: string;
  kind: CellKind | undefined;
}

/**
 * Writes a number as text: as an ISO date or a time if the number has this meaning and there is such a day, otherwise
 * as the shortest decimal.
 */
export function numberText(value: number, meaning: NumberMeaning, is1904: boolean): TypedText {
  if (meaning === 'number') return { text: String(value), kind: 'number' };
  let days = Math.floor(value);
  let seconds = Math.round((value - days) * SECONDS_PER_DAY);
  if (seconds === SECONDS_PER_DAY) [days, seconds] = [days + 1, 0];
  if (meaning === 'time' && days === 0) return { text: timeText(seconds), kind: undefined };
  const serial = is1904 ? days + DAYS_BEFORE_1904 : days;
  const isNoDay = is1904 ? days < 0 : days < 1 || days === NO_DAY;
  if (isNoDay || serial > SERIAL_MAX) return { text: String(value), kind: 'number' };
  const day = new Date(Date.UTC(1899, 11, serial < NO_DAY ? 31 : 30) + serial * DAY_MS).toISOString().slice(0, 10);
  return { text: seconds === 0 ? day : `${day}T${timeText(seconds)}`, kind: 'date' };
}

const timeText = (seconds: number): string =>
  [3600, 60, 1].map((unit) => String(Math.floor(seconds / unit) % 60).padStart(2, '0')).join(':');

/** Writes the ISO date of a cell as text; leaves the time out if it is midnight. */
export const isoText = (text: string): TypedText => ({
  text: text.trim().replace(/T00:00(?::00(?:\.0+)?)?Z?$/, ''),
  kind: 'date',
});
