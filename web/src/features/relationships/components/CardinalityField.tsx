/** Selects the cardinality of a relationship; the hint explains the selected one. */
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
          options={CARDINALITIES.map((each) => ({ value: each, label: CARDINALITY_WORDS[each] }))}
        />
      )}
    </Field>
  );
}
