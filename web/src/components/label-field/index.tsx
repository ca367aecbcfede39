/**
 * Selects the label field. Pickers, suggestions, comparisons and exports show the value of this field beside the key.
 */
import { useQuery } from '@tanstack/react-query';
import { fieldsQuery } from '../../lib/data-sets/index.ts';
import { Field } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

/** The value of the option without a field. Radix reserves the empty string for "no selection". */
const NO_FIELD = ' ';

export interface LabelFieldProps {
  label: string;
  hint: string;
  /** The label of the option without a field, such as “As in the data set”. */
  noFieldLabel: string;
  typeId: number | undefined;
  value: string | null;
  onChange: (name: string | null) => void;
}

export function LabelField({ label, hint, noFieldLabel, typeId, value, onChange }: LabelFieldProps) {
  const { data: fields } = useQuery(fieldsQuery(typeId));
  if (fields === undefined) return null;
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Select
          {...control}
          className="w-full"
          value={value ?? NO_FIELD}
          onValueChange={(name) => onChange(name === NO_FIELD ? null : name)}
          options={[
            { value: NO_FIELD, label: noFieldLabel },
            ...fields.map(({ name, dataType }) => ({ value: name, label: `${name} (${dataType})` })),
          ]}
        />
      )}
    </Field>
  );
}
