/**
 * The input of one value of a condition. Users enter times in their time zone, and the condition contains instants. A
 * stored condition can also contain a whole day in UTC.
 */
import type { FilterDataType } from '@rdm/contracts/lists/filter-operators';
import { useState } from 'react';
import { Input } from '../ui/input.tsx';
import { formatValue, isDay, parseValue } from './values.ts';

export const INPUT_TYPES: Partial<Record<FilterDataType, string>> = {
  number: 'number',
  date: 'date',
  datetime: 'datetime-local',
};

export interface ValueInputProps {
  label: string;
  dataType: FilterDataType;
  value: unknown;
  /** The id of the text that reports a missing value; undefined if there is no such text. */
  problemId: string | undefined;
  className?: string;
  onChange: (value: unknown) => void;
}

export function ValueInput({ label, dataType, value, problemId, className, onChange }: ValueInputProps) {
  const [text, setText] = useState(() => formatValue(value, dataType));
  // While the typed text matches the value, the text is not formatted, so that typing is not overwritten.
  const displayedText = parseValue(text, dataType) === value ? text : formatValue(value, dataType);
  const isWholeDay = dataType === 'datetime' && typeof value === 'string' && isDay(value);
  return (
    <Input
      aria-label={label}
      aria-invalid={problemId === undefined ? undefined : true}
      aria-describedby={problemId}
      type={isWholeDay ? 'date' : (INPUT_TYPES[dataType] ?? 'text')}
      step="any"
      title={dataType === 'datetime' ? (isWholeDay ? 'The whole day in UTC' : 'In your own time zone') : undefined}
      className={className}
      value={displayedText}
      onChange={(event) => {
        setText(event.target.value);
        onChange(parseValue(event.target.value, dataType));
      }}
    />
  );
}
