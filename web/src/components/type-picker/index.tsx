/** Selects a reference data type by search. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { typeChoicesQuery } from '../../lib/data-sets/index.ts';
import { Combobox } from '../ui/combobox.tsx';
import { Field } from '../ui/input.tsx';

export interface TypePickerProps {
  value: number | undefined;
  onChange: (typeId: number) => void;
  error?: string | undefined;
  hint?: string;
  disabled?: boolean;
  className?: string;
}

export function TypePicker({ value, onChange, error, hint, disabled = false, className }: TypePickerProps) {
  const [search, setSearch] = useState('');
  const { data: types = [], isFetching } = useQuery(typeChoicesQuery);
  const words = search.toLocaleLowerCase().split(/\s+/);
  return (
    <Field label="Type" required error={error} hint={hint} className={className}>
      {(control) => (
        <Combobox
          {...control}
          label="Types"
          disabled={disabled}
          value={value === undefined ? undefined : String(value)}
          shown={value === undefined ? undefined : (types.find(({ id }) => id === value)?.name ?? '…')}
          placeholder="Choose a type…"
          onValueChange={(chosen) => onChange(Number(chosen))}
          search={search}
          onSearchChange={setSearch}
          loading={isFetching}
          empty={
            <>
              No matching types.{' '}
              <a href="/reference-types" target="_blank" rel="noreferrer" className="text-accent underline">
                Add a type under Reference Data Types
              </a>{' '}
              (opens in a new tab).
            </>
          }
          options={types
            .filter(({ name }) => words.every((word) => name.toLocaleLowerCase().includes(word)))
            .map(({ id, name, schemaCount }) => ({
              value: String(id),
              label: name,
              detail: `${schemaCount} ${schemaCount === 1 ? 'field' : 'fields'}`,
            }))}
        />
      )}
    </Field>
  );
}
