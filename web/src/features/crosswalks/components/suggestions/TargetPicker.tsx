/** Selects a value of a data set by search. Also offers the typed text if no value equals it. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox, type ComboboxOption, type ComboboxProps } from '../../../../components/ui/combobox.tsx';
import { namedValue, valuesQuery } from '../../../../lib/data-sets/index.ts';
import { useSearchText } from '../../../../lib/debounce/index.ts';

type SearchProps = 'label' | 'options' | 'search' | 'onSearchChange' | 'loading' | 'empty' | 'onValueChange';

interface ChoiceProps extends Omit<ComboboxProps, SearchProps> {
  /** Called with the chosen value and its label; the label is null if the value has none. */
  onValueChange: (value: string, label: string | null) => void;
}

export interface ValuePickerProps extends ChoiceProps {
  /** The data set whose values are searched. */
  end: { dataSetId: number; name: string; attribute: string; labelField: string | null };
}

export interface TargetPickerProps extends ChoiceProps {
  crosswalk: CrosswalkView;
}

export function TargetPicker({ crosswalk, ...props }: TargetPickerProps) {
  const { targetSystemId, targetName, targetAttribute, targetLabelField } = crosswalk;
  const end = { dataSetId: targetSystemId, name: targetName, attribute: targetAttribute, labelField: targetLabelField };
  return <ValuePicker {...props} end={end} />;
}

export function ValuePicker({ end, open, onOpenChange, onValueChange, ...props }: ValuePickerProps) {
  const [ownOpen, setOwnOpen] = useState(false);
  const { search, setSearch, typed, debounced, isAnswered } = useSearchText();
  const isOpen = open ?? ownOpen;
  const values = useQuery(valuesQuery(end.dataSetId, debounced, isOpen));
  const isSettled = isAnswered(values);
  const matchingValues = (values.data?.items ?? []).flatMap(
    (row) => namedValue(row, end.attribute, end.labelField) ?? [],
  );
  const options: ComboboxOption[] = matchingValues.map(({ value, label }) => ({
    value,
    label: <span className="font-mono">{value}</span>,
    detail: label ?? undefined,
  }));
  if (typed !== '' && isSettled && !matchingValues.some(({ value }) => value === typed)) {
    options.push({ value: typed, label: `Use “${typed}”`, detail: `not a value of ${end.name}`, isTypedText: true });
  }
  return (
    <Combobox
      {...props}
      label={`Values of ${end.name}`}
      open={isOpen}
      onOpenChange={(nextOpen) => {
        setOwnOpen(nextOpen);
        onOpenChange?.(nextOpen);
        if (!nextOpen) setSearch('');
      }}
      onValueChange={(chosen) =>
        onValueChange(chosen, matchingValues.find(({ value }) => value === chosen)?.label ?? null)
      }
      options={options}
      search={search}
      onSearchChange={setSearch}
      loading={!isSettled}
      empty={`No value of ${end.name} matches.`}
    />
  );
}
