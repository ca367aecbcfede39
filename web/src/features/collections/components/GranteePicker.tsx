/** Picks a person or a group by the beginning of a name. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { directoryQuery } from '../../../lib/auth/people.ts';

const SEARCH_PAUSE_MS = 200;

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
  /** People alone. */
  onlyPeople?: boolean;
  id?: string;
}

export function GranteePicker({ label, value, onChange, onlyPeople = false, id }: GranteePickerProps) {
  const [search, setSearch] = useState('');
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(search), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const { data, isFetching } = useQuery(directoryQuery(q));
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
  // What was found for the letters before is shown until the new find comes: as far as it fits those typed since.
  const fits = ({ name, detail = '' }: Choice) =>
    `${name} ${detail}`.toLowerCase().includes(search.trim().toLowerCase());
  const choices = (onlyPeople ? people : [...people, ...groups]).filter(fits);
  const keyOf = (grantee: Grantee) => `${grantee.entityType}:${grantee.entityId}`;

  return (
    <Combobox
      label={label}
      {...(id === undefined ? {} : { id })}
      value={value && keyOf(value)}
      shown={value?.name}
      placeholder={onlyPeople ? 'Choose somebody…' : 'Choose a user or a group…'}
      options={choices.map((choice) => ({ value: keyOf(choice), label: choice.name, detail: choice.detail }))}
      search={search}
      onSearchChange={setSearch}
      loading={isFetching || search !== q}
      empty="Nobody is called that."
      onValueChange={(chosen) => {
        const found = choices.find((choice) => keyOf(choice) === chosen);
        if (found) onChange({ entityType: found.entityType, entityId: found.entityId, name: found.name });
      }}
    />
  );
}
