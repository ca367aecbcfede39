/** Selects a user or a group, which the server finds by name. */
import { useQuery } from '@tanstack/react-query';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { directoryQuery } from '../../../lib/auth/people.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';

export interface Grantee {
  entityType: 'user' | 'group';
  entityId: number;
  name: string;
}

type Choice = Grantee & { detail: string | undefined };

export interface GranteePickerProps {
  label: string;
  value: Grantee | undefined;
  onChange: (grantee: Grantee) => void;
  /** Whether only users can be selected, not groups. */
  onlyPeople?: boolean;
  id?: string;
}

export function GranteePicker({ label, value, onChange, onlyPeople = false, id }: GranteePickerProps) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const directory = useQuery(directoryQuery(debounced));
  const { data } = directory;
  const people = (data?.users ?? []).map(
    (user): Choice => ({
      entityType: 'user',
      entityId: user.id,
      name: user.displayName ?? user.username,
      detail: user.displayName === null ? undefined : user.username,
    }),
  );
  const groups = (data?.groups ?? []).map(
    (group): Choice => ({
      entityType: 'group',
      entityId: group.id,
      name: group.name,
      detail: 'group',
    }),
  );
  const choices = onlyPeople ? people : [...people, ...groups];
  const keyOf = (grantee: Grantee) => `${grantee.entityType}:${grantee.entityId}`;

  return (
    <Combobox
      label={label}
      {...(id === undefined ? {} : { id })}
      value={value && keyOf(value)}
      shown={value?.name}
      placeholder={onlyPeople ? 'Choose a user…' : 'Choose a user or a group…'}
      options={choices.map((choice) => ({ value: keyOf(choice), label: choice.name, detail: choice.detail }))}
      search={search}
      onSearchChange={setSearch}
      loading={!isAnswered(directory)}
      empty={onlyPeople ? 'No matching users.' : 'No matching users or groups.'}
      onValueChange={(chosen) => {
        const chosenGrantee = choices.find((choice) => keyOf(choice) === chosen);
        if (chosenGrantee)
          onChange({
            entityType: chosenGrantee.entityType,
            entityId: chosenGrantee.entityId,
            name: chosenGrantee.name,
          });
      }}
    />
  );
}
