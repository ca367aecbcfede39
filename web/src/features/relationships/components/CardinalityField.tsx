/** The field for the cardinality of a relationship. The hint explains the selected cardinality. */
import { CARDINALITIES, type Cardinality } from '@rdm/contracts/relationships/relationships';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { CARDINALITY_WORDS } from '../../../lib/definitions/words.ts';
import { CARDINALITY_RULES } from './cardinality-labels.ts';

export interface CardinalityFieldProps {
  value: Cardinality;
  disabled?: boolean;
  onChange: (cardinality: Cardinality) => void;
}

export function CardinalityField({ value, disabled = false, onChange }: CardinalityFieldProps) {
  return (
    <Field label="Cardinality" required hint={CARDINALITY_RULES[value]}>
      {(control) => (
        <Select
          {...control}
          className="w-48"
          disabled={disabled}
          value={value}
          onValueChange={onChange}
          options={CARDINALITIES.map((cardinality) => ({ value: cardinality, label: CARDINALITY_WORDS[cardinality] }))}
        />
      )}
    </Field>
  );
}
