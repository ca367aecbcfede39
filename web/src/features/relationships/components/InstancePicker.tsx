/** A picker for the source or target row of a relationship value. Searches by key or label while the user types. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox, type ComboboxProps } from '../../../components/ui/combobox.tsx';
import { cellLabel, dataSetQuery, valuesQuery } from '../../../lib/data-sets/index.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';

export interface ChosenInstance {
  id: number;
  key: string;
  label: string | null;
}

/** The properties of the combobox that the picker sets itself. */
type PropsOfPicker =
  | 'label'
  | 'value'
  | 'shown'
  | 'onValueChange'
  | 'options'
  | 'search'
  | 'onSearchChange'
  | 'loading';

export interface InstancePickerProps extends Omit<ComboboxProps, PropsOfPicker> {
  /** The data set whose rows are searched. */
  end: { dataSetId: number; name: string };
  chosen: ChosenInstance | undefined;
  onChoose: (instance: ChosenInstance) => void;
}

export function InstanceName({ instance }: { instance: Pick<ChosenInstance, 'key' | 'label'> }) {
  return (
    <>
      <span className="font-mono">{instance.key}</span>
      {instance.label !== null && <span className="ml-2 text-muted">{instance.label}</span>}
    </>
  );
}

export function InstancePicker({ end, chosen, onChoose, ...props }: InstancePickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const rows = useQuery(valuesQuery(end.dataSetId, debounced, isOpen));
  const { data: dataSet } = useQuery(dataSetQuery(end.dataSetId));
  const labelField = dataSet?.labelField ?? null;
  const matchingRows = (rows.data?.items ?? []).map(
    ({ id, key, data }): ChosenInstance => ({ id, key, label: cellLabel(data, labelField) }),
  );
  return (
    <Combobox
      {...props}
      label={`Rows of ${end.name}`}
      value={chosen === undefined ? undefined : String(chosen.id)}
      shown={chosen === undefined ? undefined : <InstanceName instance={chosen} />}
      onValueChange={(id) => {
        const instance = matchingRows.find((row) => String(row.id) === id);
        if (instance !== undefined) onChoose(instance);
      }}
      open={isOpen}
      onOpenChange={(nextOpen) => {
        setIsOpen(nextOpen);
        if (!nextOpen) setSearch('');
      }}
      options={matchingRows.map(({ id, key, label }) => ({
        value: String(id),
        label: <span className="font-mono">{key}</span>,
        detail: label ?? undefined,
      }))}
      search={search}
      onSearchChange={setSearch}
      loading={!isAnswered(rows)}
      empty={`No row of ${end.name} matches.`}
    />
  );
}
