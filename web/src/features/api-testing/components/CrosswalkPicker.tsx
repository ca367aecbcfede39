/** A field to search for a crosswalk and select it. */
import { useQuery } from '@tanstack/react-query';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import type { ApiTest } from '../api/state.ts';
import { crosswalkChoicesQuery } from '../api/translate.ts';

export interface CrosswalkPickerProps {
  value: ApiTest['selectedCrosswalk'];
  disabled: boolean;
  error: string | undefined;
  onChange: (crosswalk: { id: number; name: string }) => void;
}

export function CrosswalkPicker({ value, disabled, error, onChange }: CrosswalkPickerProps) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const choices = useQuery(crosswalkChoicesQuery(debounced));
  const foundCrosswalks = choices.data ?? [];
  return (
    <Field label="Crosswalk" required error={error ?? (choices.error === null ? undefined : messageOf(choices.error))}>
      {(control) => (
        <Combobox
          {...control}
          label="Crosswalks"
          disabled={disabled}
          value={value === undefined ? undefined : String(value.id)}
          shown={value?.name}
          onValueChange={(id) => {
            const chosen = foundCrosswalks.find((each) => String(each.id) === id);
            if (chosen !== undefined) onChange({ id: chosen.id, name: chosen.name });
          }}
          search={search}
          onSearchChange={setSearch}
          loading={!isAnswered(choices)}
          empty="No matching crosswalks."
          options={foundCrosswalks.map(({ id, name, sourceName, targetName }) => ({
            value: String(id),
            label: name,
            detail: `${sourceName} → ${targetName}`,
          }))}
        />
      )}
    </Field>
  );
}
