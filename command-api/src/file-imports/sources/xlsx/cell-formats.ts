/** The number formats of a workbook: which numbers are dates or times, and their texts. */
import type { CellKind } from '@rdm/contracts';

/** The meaning of the number in a cell. */
export type NumberMeaning = 'number' | 'date' | 'time';

/** Built-in formats of dates, East Asian ones included, and of times. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
const isBuiltInTime = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 32 && id <= 35);

/** The meaning of a number format, by its id and its code if it is a custom one. */
export function meaningOf(id: number, code: string | undefined): NumberMeaning {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : isBuiltInTime(id) ? 'time' : 'number';
  // Quoted texts, escaped characters, colours and locales are no part of the pattern; elapsed hours are a number.
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'number';
  const [pattern = ''] = code
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replace(/am\/pm|a\/p/gi, 'h')
    .split(';');
  if (/general/i.test(pattern)) return 'number';
  if (/[yd]/i.test(pattern)) return 'date';
  if (/[hs]/i.test(pattern)) return 'time';
  return /m/i.test(pattern) ? 'date' : 'number';
}

/** The minimum number of digits of a format like 00000; 0 for other formats. */
export const digitsShown = (code: string | undefined): number => (/^0{2,}$/.test(code ?? '') ? (code ?? '').length : 0);

/** Built-in formats of numbers. */
const BUILT_IN_CODES: Readonly<Record<number, string>> = {
  ...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00' },
};
/** Excel allows 255. */
const CODE_CHARACTERS_MAX = 255;

/** The code of a format that is written to files of rejected rows; undefined for the general one, and for texts. */
export function writtenFormat(id: number, code: string | undefined): string | undefined {
  const written = code ?? BUILT_IN_CODES[id];
  if (written === undefined || /^(?:general|@)?$/i.test(written)) return undefined;
  return written.length > CODE_CHARACTERS_MAX || /[\p{Cc}\ufffe\uffff]/u.test(written) ? undefined : written;
}

const DAY_MS = 86_400_000;
const SECONDS_PER_DAY = 86_400;
/** The last day of the year 9999 in the system of 1900. */
const SERIAL_MAX = 2_958_465;
/** Excel counts 29 February 1900, a day that did not exist. */
const NO_DAY = 60;
const DAYS_OF_1904 = 1_462;

export interface TypedText {
  text: string;
  kind: CellKind | undefined;
}

/** The text of a number: a shortest decimal, an ISO date, or a time. */
export function numberText(value: number, meaning: NumberMeaning, is1904: boolean): TypedText {
  if (meaning === 'number') return { text: String(value), kind: 'number' };
  let days = Math.floor(value);
  let seconds = Math.round((value - days) * SECONDS_PER_DAY);
  if (seconds === SECONDS_PER_DAY) [days, seconds] = [days + 1, 0];
  if (meaning === 'time' && days === 0) return { text: timeText(seconds), kind: undefined };
  const serial = is1904 ? days + DAYS_OF_1904 : days;
  const isNoDay = is1904 ? days < 0 : days < 1 || days === NO_DAY;
  if (isNoDay || serial > SERIAL_MAX) return { text: String(value), kind: 'number' };
  const day = new Date(Date.UTC(1899, 11, serial < NO_DAY ? 31 : 30) + serial * DAY_MS).toISOString().slice(0, 10);
  return { text: seconds === 0 ? day : `${day}T${timeText(seconds)}`, kind: 'date' };
}

const timeText = (seconds: number): string =>
  [3600, 60, 1].map((unit) => String(Math.floor(seconds / unit) % 60).padStart(2, '0')).join(':');

/** The text of an ISO date cell, without a time at midnight. */
export const isoText = (text: string): TypedText => ({
  text: text.trim().replace(/T00:00(?::00(?:\.0+)?)?Z?$/, ''),
  kind: 'date',
});
