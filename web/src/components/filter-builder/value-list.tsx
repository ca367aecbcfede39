/** The values of a list condition, entered one by one or pasted as a column. Commas and blanks are part of a value. */
import type { FilterDataType } from '@rdm/contracts/lists/filter-operators';
import { X } from 'lucide-react';
import { type ClipboardEvent, useEffect, useId, useRef, useState } from 'react';
import { formatNumber } from '../../lib/number-format.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/input.tsx';
import { INPUT_TYPES } from './value-input.tsx';
import { formatValue, parseValue, pastedValues } from './values.ts';

/** The maximum number of displayed values; further values are only counted. */
const SHOWN_VALUES = 50;

const TYPE_PROBLEMS: Partial<Record<FilterDataType, string>> = {
  number: 'is not a number',
  boolean: 'is neither true nor false',
  date: 'is not a date like 2026-05-01',
  datetime: 'is not a time like 2026-05-01 12:00',
};

export interface ValueListProps {
  dataType: FilterDataType;
  values: readonly unknown[];
  /** Whether the values form a list with an order, in which a value may occur several times. */
  isOrdered: boolean;
  /** Whether the condition has a problem, which is displayed below. */
  invalid: boolean;
  describedBy: string | undefined;
  onChange: (values: unknown[]) => void;
}

export function ValueList({ dataType, values, isOrdered, invalid, describedBy, onChange }: ValueListProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();

  /** Adds the valid values; reports the first invalid value and the number of others. Returns whether all are valid. */
  function add(texts: readonly string[]): boolean {
    const parsed = texts.map((each) => ({ text: each, value: parseValue(each, dataType) }));
    const validValues = parsed.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const [firstInvalid, ...otherInvalid] = parsed.filter(({ value }) => value === undefined);
    if (validValues.length > 0) {
      const all = [...values, ...validValues];
      onChange(isOrdered ? all : [...new Set(all)]);
    }
    const others =
      otherInvalid.length === 0
        ? ''
        : `, and ${otherInvalid.length} more ${otherInvalid.length === 1 ? 'value is' : 'values are'} invalid too`;
    setProblem(firstInvalid && `“${firstInvalid.text}” ${TYPE_PROBLEMS[dataType] ?? 'is not a value'}${others}`);
    return firstInvalid === undefined;
  }

  function addTyped() {
    if (text !== '' && add([text])) setText('');
  }

  function paste(event: ClipboardEvent) {
    const pasted = event.clipboardData.getData('text/plain');
    if (!/[\t\r\n]/.test(pasted)) return;
    event.preventDefault();
    add(pastedValues(pasted));
  }

  // Prevents applying the filter while the field contains an invalid text, which would be lost.
  useEffect(() => input.current?.setCustomValidity(text === '' ? '' : (problem ?? '')), [text, problem]);

  const remove = (index: number) => {
    onChange(values.filter((_, at) => at !== index));
    input.current?.focus();
  };
  return (
    <div className="order-1 min-w-44 basis-full">
      {values.length > 0 && (
        <ul aria-label="Values" className="mb-1 flex max-h-32 flex-wrap gap-1 overflow-y-auto">
          {values.slice(0, SHOWN_VALUES).map((value, index) => (
            <li
              key={index}
              className="inline-flex max-w-full items-center rounded-sm border border-hairline bg-hover pl-1.5"
            >
              <span className="truncate whitespace-pre font-mono text-xs">{valueText(value, dataType)}</span>
              <Button
                variant="ghost"
                size="icon-sm"
                className="size-6"
                aria-label={`Remove value ${valueText(value, dataType)}`}
                onClick={() => remove(index)}
              >
                <X />
              </Button>
            </li>
          ))}
          {values.length > SHOWN_VALUES && (
            <li className="self-center text-muted text-xs">and {formatNumber(values.length - SHOWN_VALUES)} more</li>
          )}
          {values.length > 1 && (
            <li>
              <Button variant="ghost" size="sm" className="h-6" onClick={() => onChange([])}>
                Remove all {formatNumber(values.length)}
              </Button>
            </li>
          )}
        </ul>
      )}
      <Input
        ref={input}
        aria-label="Add a value"
        aria-invalid={(invalid || problem !== undefined) && values.length === 0 ? true : undefined}
        aria-describedby={[describedBy, hint].filter((id) => id !== undefined).join(' ')}
        // A number field would hide text that is not a number.
        type={dataType === 'number' ? 'text' : (INPUT_TYPES[dataType] ?? 'text')}
        step="any"
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
        onBlur={addTyped}
        onPaste={paste}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || text === '') return;
          event.preventDefault();
          addTyped();
        }}
      />
      <p
        id={hint}
        role={problem === undefined ? undefined : 'alert'}
        className={problem === undefined ? 'mt-0.5 text-muted text-xs' : 'mt-0.5 break-words text-danger-text text-xs'}
      >
        {problem ?? 'Press Enter after each value, or paste a column. Commas are part of a value.'}
      </p>
    </div>
  );
}

const valueText = (value: unknown, dataType: FilterDataType): string =>
  dataType === 'datetime' ? formatValue(value, dataType).replace('T', ' ') : formatValue(value, dataType);
