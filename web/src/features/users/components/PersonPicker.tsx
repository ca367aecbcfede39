/** Finds an active person by the beginning of a name. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { directoryQuery } from '../../../lib/auth/people.ts';

export interface PersonPickerProps {
  label: string;
  /** Those who are in the list already. */
  without: ReadonlySet<number>;
  onChoose: (person: { id: number; name: string }) => void;
}

export function PersonPicker({ label, without, onChoose }: PersonPickerProps) {
  const [search, setSearch] = useState('');
  const { data, isFetching } = useQuery(directoryQuery(search));
  const choices = (data?.users ?? []).filter(({ id }) => !without.has(id));
  return (
    <Combobox
      label={label}
      value={undefined}
      placeholder={label}
      search={search}
      onSearchChange={setSearch}
      loading={isFetching}
      empty="Nobody else is called so."
      options={choices.map(({ id, username, displayName }) => ({
        value: String(id),
        label: displayName ?? username,
        detail: displayName === null ? undefined : username,
      }))}
      onValueChange={(value) => {
        const person = choices.find(({ id }) => id === Number(value));
        if (person === undefined) return;
        setSearch('');
        onChoose({ id: person.id, name: person.displayName ?? person.username });
      }}
    />
  );
}
