/** Selects the label field: pickers, suggestions, comparisons and exports show its value beside the key. */
import { useQuery } from '@tanstack/react-query';
import { fieldsQuery } from '../../lib/data-sets/index.ts';
import { Field } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

const NONE = ' ';

export interface LabelFieldProps {
  label: string;
  hint: string;
  /** The default if no field is selected. */
  otherwise: string;
  typeId: number | undefined;
  value: string | null;
  onChange: (name: string | null) => void;
}

export function LabelField({ label, hint, otherwise, typeId, value, onChange }: LabelFieldProps) {
  const { data: fields } = useQuery(fieldsQuery(typeId));
  if (fields === undefined) return null;
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Select
          {...control}
          className="w-full"
          value={value ?? NONE}
          onValueChange={(name) => onChange(name === NONE ? null : name)}
          options={[
            { value: NONE, label: otherwise },
            ...fields.map(({ name, dataType }) => ({ value: name, label: `${name} (${dataType})` })),
          ]}
        />
      )}
    </Field>
  );
}
