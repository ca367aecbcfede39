/** Chooses the label field of a data set: pickers, suggestions, comparisons and exports show its value beside the key. */
import { useQuery } from '@tanstack/react-query';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { fieldsQuery } from '../api/data-sets.ts';

const AUTOMATIC = ' ';

export interface LabelFieldProps {
  typeId: number | undefined;
  /** Null: the names of the fields decide. */
  value: string | null;
  onChange: (name: string | null) => void;
}

export function LabelField({ typeId, value, onChange }: LabelFieldProps) {
  const { data: fields } = useQuery(fieldsQuery(typeId));
  if (fields === undefined) return null;
  return (
    <Field
      label="Label field"
      hint="Its value is shown beside the key of a row, in pickers, suggestions, comparisons and exports."
    >
      {(control) => (
        <Select
          {...control}
          className="w-full"
          value={value ?? AUTOMATIC}
          onValueChange={(name) => onChange(name === AUTOMATIC ? null : name)}
          options={[
            { value: AUTOMATIC, label: 'Automatic, by the names of the fields' },
            ...fields.map(({ name, dataType }) => ({ value: name, label: `${name} (${dataType})` })),
          ]}
        />
      )}
    </Field>
  );
}
