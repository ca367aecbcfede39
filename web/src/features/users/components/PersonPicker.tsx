/** Selects an active user, whom the server finds by name. */
import { useQuery } from '@tanstack/react-query';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { directoryQuery } from '../../../lib/auth/people.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';

export interface PersonPickerProps {
  label: string;
  /** The ids of users that are not offered, such as the current members of a group. */
  without: ReadonlySet<number>;
  onChoose: (person: { id: number; name: string }) => void;
}

export function PersonPicker({ label, without, onChoose }: PersonPickerProps) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const directory = useQuery(directoryQuery(debounced));
  const choices = (directory.data?.users ?? []).filter(({ id }) => !without.has(id));
  return (
    <Combobox
      label={label}
      value={undefined}
      placeholder={label}
      search={search}
      onSearchChange={setSearch}
      loading={!isAnswered(directory)}
      empty="No matching users."
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
