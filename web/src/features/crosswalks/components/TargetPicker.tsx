/** Types a target by hand: values of the target data set as one types, or the very text where none fits. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox, type ComboboxOption, type ComboboxProps } from '../../../components/ui/combobox.tsx';
import { type NamedValue, namedValue, valuesQuery } from '../api/data-sets.ts';
import { usePaused } from './usePaused.ts';

export interface TargetPickerProps
  extends Omit<ComboboxProps, 'label' | 'options' | 'search' | 'onSearchChange' | 'loading' | 'empty'> {
  crosswalk: CrosswalkView;
}

const fits = ({ value, label }: NamedValue, typed: string): boolean =>
  `${value} ${label ?? ''}`.toLocaleLowerCase().includes(typed.toLocaleLowerCase());

export function TargetPicker({ crosswalk, open, onOpenChange, ...props }: TargetPickerProps) {
  const [own, setOwn] = useState(false);
  const [search, setSearch] = useState('');
  const isOpen = open ?? own;
  const typed = search.trim();
  const asked = usePaused(typed);
  const values = useQuery(valuesQuery(crosswalk.targetSystemId, asked, isOpen));
  const settled = asked === typed && !values.isFetching;
  const found = (values.data?.items ?? [])
    .flatMap((row) => namedValue(row, crosswalk.targetAttribute) ?? [])
    // The answer to an earlier search must not be taken for one to this: Enter chooses what stands first.
    .filter((named) => settled || fits(named, typed));
  const options: ComboboxOption[] = found.map(({ value, label }) => ({
    value,
    label: <span className="font-mono">{value}</span>,
    detail: label ?? undefined,
  }));
  if (typed !== '' && settled && !found.some(({ value }) => value === typed)) {
    options.push({ value: typed, label: `Use “${typed}”`, detail: `not a value of ${crosswalk.targetName}` });
  }
  return (
    <Combobox
      {...props}
      label={`Targets in ${crosswalk.targetName}`}
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
      empty={`No value of ${crosswalk.targetName} fits.`}
    />
  );
}
