/** Selects a data set by search. Only data sets on which the user has at least `level` are offered. */
import type { Level } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import { dataSetChoicesQuery, dataSetQuery } from '../../lib/data-sets/index.ts';
import { useSearchText } from '../../lib/debounce/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { Combobox } from '../ui/combobox.tsx';
import { Field } from '../ui/input.tsx';

export interface DataSetPickerProps {
  label: string;
  dataSetId: number | undefined;
  level: Level;
  onChange: (id: number) => void;
  error: string | undefined;
  /** Why the selection cannot be changed; undefined if it can. */
  fixed?: string | undefined;
  className?: string;
}

export function DataSetPicker({ label, dataSetId, level, onChange, error, fixed, className }: DataSetPickerProps) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const choices = useQuery(dataSetChoicesQuery(debounced, level));
  const chosenDataSet = useQuery(dataSetQuery(dataSetId));
  return (
    <Field
      label={label}
      required
      error={error}
      className={className}
      hint={
        fixed ??
        (chosenDataSet.data === undefined
          ? level === 'WRITE'
            ? 'Data sets in which you can write.'
            : 'Data sets that you can read.'
          : `${chosenDataSet.data.typeName}, ${formatNumber(chosenDataSet.data.instanceCount)} rows`)
      }
    >
      {(control) => (
        <Combobox
          {...control}
          label={`${label}s`}
          disabled={fixed !== undefined}
          value={dataSetId === undefined ? undefined : String(dataSetId)}
          shown={
            chosenDataSet.data?.name ??
            (dataSetId === undefined ? undefined : chosenDataSet.isError ? `Data set ${dataSetId}` : '…')
          }
          onValueChange={(value) => onChange(Number(value))}
          search={search}
          onSearchChange={setSearch}
          loading={!isAnswered(choices)}
          empty="No matching data sets."
          options={(choices.data?.items ?? []).map(({ id, name, typeName }) => ({
            value: String(id),
            label: name,
            detail: typeName,
          }))}
        />
      )}
    </Field>
  );
}
