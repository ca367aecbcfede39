/** Parses and formats the values of conditions, with times in the user's time zone. */
import type { FilterDataType, FilterOperator } from '@rdm/contracts/lists/filter-operators';

/** Operators that compare the text of a value: a date can, for example, start with `2026-05`. */
const TEXT_OPERATORS: ReadonlySet<FilterOperator> = new Set([
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'regex',
]);

/** The type of the input for a value of the condition. */
export const inputTypeOf = (operator: FilterOperator, dataType: FilterDataType): FilterDataType =>
  TEXT_OPERATORS.has(operator) && dataType !== 'json' && dataType !== 'array' ? 'string' : dataType;

/** Parses the text of an input as a value of the type; undefined if the text is not such a value (yet). */
export function parseValue(text: string, dataType: FilterDataType): unknown {
  if (text === '') return undefined;
  if (dataType === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (dataType === 'boolean') return { true: true, false: false }[text.trim().toLowerCase()];
  if (dataType === 'date') return isDay(text.trim()) ? text.trim() : undefined;
  if (dataType === 'datetime') return isDay(text) ? text : instantOf(text);
  return text;
}

/** Formats the value for an input. */
export function formatValue(value: unknown, dataType: FilterDataType): string {
  if (value === undefined || value === null) return '';
  if (dataType === 'datetime' && typeof value === 'string') return localOf(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether the text is a date without a time, which the server treats as the whole day. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** The instant of a local time; undefined if the text is not a time. */
function instantOf(local: string): string | undefined {
  const instant = /^\d{4,6}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(local) ? new Date(local) : undefined;
  return instant === undefined || Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

const padded = (part: number, width = 2): string => String(part).padStart(width, '0');

/** The local time in the format of the browser's input. A time without a zone is in UTC, as on the server. */
function localOf(value: string): string {
  if (isDay(value)) return value;
  const at = new Date(/(Z|[+-]\d{2}:\d{2})$/.test(value) ? value : `${value}Z`);
  if (Number.isNaN(at.getTime())) return '';
  const day = `${padded(at.getFullYear(), 4)}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
  const fraction = at.getMilliseconds() === 0 ? '' : `.${padded(at.getMilliseconds(), 3)}`;
  const seconds = at.getSeconds() === 0 && fraction === '' ? '' : `:${padded(at.getSeconds())}${fraction}`;
  return `${day}T${padded(at.getHours())}:${padded(at.getMinutes())}${seconds}`;
}

/** Splits a pasted column or line. Commas and blanks are part of a value. */
export const pastedValues = (text: string): string[] => text.split(/[\t\r\n]+/).filter((each) => each !== '');
