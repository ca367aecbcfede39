/** The input for one cell, depending on the type of its field. */
import type { DataType } from '@rdm/contracts/text/rows';
import { type ControlAttributes, Input } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

/** The value of the option “No value”, because Radix reserves the empty string for “no selection”. */
const NO_VALUE = 'none';
const BOOLEAN_OPTIONS = [
  { value: NO_VALUE, label: 'No value' },
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

export interface CellInputProps {
  control: ControlAttributes;
  dataType: DataType;
  value: string;
  onChange: (text: string) => void;
  readOnly?: boolean;
}

export function CellInput({ control, dataType, value, onChange, readOnly = false }: CellInputProps) {
  if (dataType === 'boolean') {
    return (
      <Select
        {...control}
        className="w-40"
        disabled={readOnly}
        value={value === '' ? NO_VALUE : value}
        onValueChange={(chosen) => onChange(chosen === NO_VALUE ? '' : chosen)}
        options={BOOLEAN_OPTIONS}
      />
    );
  }
  return (
    <Input
      {...control}
      type={dataType === 'date' ? 'date' : 'text'}
      inputMode={dataType === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      spellCheck={dataType === 'string'}
      readOnly={readOnly}
      className={`${dataType === 'string' ? '' : 'max-w-48 font-mono'} ${readOnly ? 'bg-hover text-muted' : ''}`}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
