/** Types a value by hand: values of one end of a crosswalk as one types, or the very text where none fits. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox, type ComboboxOption, type ComboboxProps } from '../../../components/ui/combobox.tsx';
import { type NamedValue, namedValue, valuesQuery } from '../../../lib/data-sets/index.ts';
import { usePaused } from '../../../lib/paused/index.ts';

type Searched = 'label' | 'options' | 'search' | 'onSearchChange' | 'loading' | 'empty';

export interface ValuePickerProps extends Omit<ComboboxProps, Searched> {
  /** Whose values are searched. */
  end: { dataSetId: number; name: string; attribute: string };
}

export interface TargetPickerProps extends Omit<ComboboxProps, Searched> {
  crosswalk: CrosswalkView;
}

export function TargetPicker({ crosswalk, ...props }: TargetPickerProps) {
  const { targetSystemId, targetName, targetAttribute } = crosswalk;
  return <ValuePicker {...props} end={{ dataSetId: targetSystemId, name: targetName, attribute: targetAttribute }} />;
}

const fits = ({ value, label }: NamedValue, typed: string): boolean =>
  `${value} ${label ?? ''}`.toLocaleLowerCase().includes(typed.toLocaleLowerCase());

export function ValuePicker({ end, open, onOpenChange, ...props }: ValuePickerProps) {
  const [own, setOwn] = useState(false);
  const [search, setSearch] = useState('');
  const isOpen = open ?? own;
  const typed = search.trim();
  const asked = usePaused(typed);
  const values = useQuery(valuesQuery(end.dataSetId, asked, isOpen));
  const settled = asked === typed && !values.isFetching;
  const found = (values.data?.items ?? [])
    .flatMap((row) => namedValue(row, end.attribute) ?? [])
    // The answer to an earlier search must not be taken for one to this: Enter chooses what stands first.
    .filter((named) => settled || fits(named, typed));
  const options: ComboboxOption[] = found.map(({ value, label }) => ({
    value,
    label: <span className="font-mono">{value}</span>,
    detail: label ?? undefined,
  }));
  if (typed !== '' && settled && !found.some(({ value }) => value === typed)) {
    options.push({ value: typed, label: `Use “${typed}”`, detail: `not a value of ${end.name}` });
  }
  return (
    <Combobox
      {...props}
      label={`Values of ${end.name}`}
      open={isOpen}
      onOpenChange={(next) => {
        setOwn(next);
        onOpenChange?.(next);
        if (!next) setSearch('');
      }}
      options={options}
      search={search}
      onSearchChange={setSearch}
      loading={!settled}
      empty={`No value of ${end.name} fits.`}
    />
  );
}
