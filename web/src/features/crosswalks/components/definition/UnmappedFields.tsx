/** The form fields for the result of an unmapped value. The result is nothing, the value itself, or a fixed value. */
import type { Unmapped } from '@rdm/contracts/crosswalks/crosswalks';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { Select } from '../../../../components/ui/select.tsx';
import { UNMAPPED_WORDS } from '../../../../lib/definitions/words.ts';

const YIELDS = ['NOTHING', 'SOURCE_VALUE', 'FIXED'] as const;
const HINTS: Record<Unmapped['yields'], string> = {
  NOTHING: 'The translation of an unmapped value returns no value.',
  SOURCE_VALUE: 'The translation of an unmapped value returns the same value, marked as a fallback.',
  FIXED: 'The translation of an unmapped value returns the fixed value, marked as a fallback.',
};

export interface UnmappedFieldsProps {
  unmapped: Unmapped;
  onChange: (unmapped: Unmapped) => void;
  problem: string | undefined;
}

export function UnmappedFields({ unmapped, onChange, problem }: UnmappedFieldsProps) {
  const choose = (yields: Unmapped['yields']) => onChange(yields === 'FIXED' ? { yields, value: '' } : { yields });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Result for unmapped values" hint={HINTS[unmapped.yields]}>
        {(attributes) => (
          <Select
            {...attributes}
            className="w-full"
            value={unmapped.yields}
            onValueChange={choose}
            options={YIELDS.map((value) => ({ value, label: UNMAPPED_WORDS[value] }))}
          />
        )}
      </Field>
      {unmapped.yields === 'FIXED' && (
        <Field label="Fixed value" required error={problem}>
          {(attributes) => (
            <Input
              {...attributes}
              required
              className="font-mono"
              maxLength={4_000}
              value={unmapped.value}
              onChange={(event) => onChange({ yields: 'FIXED', value: event.target.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}
