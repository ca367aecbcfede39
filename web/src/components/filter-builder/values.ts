/** How the values of conditions are typed in and sent: each as its operator compares it, times of day where the reader is. */
import type { FilterDataType, FilterOperator } from '@rdm/contracts/lists/filter';

/** These look at how a value is written: `2026-05` begins a date. */
const OF_TEXT: ReadonlySet<FilterOperator> = new Set(['contains', 'not_contains', 'starts_with', 'ends_with', 'regex']);

/** What a value of the condition is typed as. */
export const inputTypeOf = (operator: FilterOperator, dataType: FilterDataType): FilterDataType =>
  OF_TEXT.has(operator) && dataType !== 'json' && dataType !== 'array' ? 'string' : dataType;

/** Text of an input as a value of the type; undefined while it is not one yet. */
export function typed(text: string, dataType: FilterDataType): unknown {
  if (text === '') return undefined;
  if (dataType === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (dataType === 'boolean') return { true: true, false: false }[text.trim().toLowerCase()];
  if (dataType === 'date') return isDay(text.trim()) ? text.trim() : undefined;
  if (dataType === 'datetime') return isDay(text) ? text : instantOf(text);
  return text;
}

/** Text of an input that holds the value. */
export function written(value: unknown, dataType: FilterDataType): string {
  if (value === undefined || value === null) return '';
  if (dataType === 'datetime' && typeof value === 'string') return localOf(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A bare date, which the server takes for a whole day. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** The instant of a time of day where the reader is; undefined where the text is none. */
function instantOf(local: string): string | undefined {
  const instant = /^\d{4,6}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(local) ? new Date(local) : undefined;
  return instant === undefined || Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

const padded = (part: number, width = 2): string => String(part).padStart(width, '0');

/** The time of day where the reader is, as an input of the browser takes it; the server reads one without a zone as UTC. */
function localOf(value: string): string {
  if (isDay(value)) return value;
  const at = new Date(/(Z|[+-]\d{2}:\d{2})$/.test(value) ? value : `${value}Z`);
  if (Number.isNaN(at.getTime())) return '';
  const day = `${padded(at.getFullYear(), 4)}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
  const fraction = at.getMilliseconds() === 0 ? '' : `.${padded(at.getMilliseconds(), 3)}`;
  const seconds = at.getSeconds() === 0 && fraction === '' ? '' : `:${padded(at.getSeconds())}${fraction}`;
  return `${day}T${padded(at.getHours())}:${padded(at.getMinutes())}${seconds}`;
}

/** A pasted column or line, taken apart; a comma or a blank is part of a value. */
export const pastedValues = (text: string): string[] => text.split(/[\t\r\n]+/).filter((each) => each !== '');
