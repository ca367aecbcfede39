/** People by name: those behind `actorId` and its like, and those who are looked up to be chosen. */
import type { PersonName } from '@rdm/contracts/identity/identity';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { read } from '../api/index.ts';

const SYSTEM = 'System';

interface Directory {
  users: PersonName[];
  groups: { id: number; name: string }[];
}

/** Active people and groups whose name begins so. */
export const directoryQuery = (q: string) =>
  queryOptions({
    queryKey: ['directory', q],
    queryFn: () => read<Directory>('/api/users/directory', { query: { q } }),
    placeholderData: keepPreviousData,
  });

/** Ids to names; an unknown person is "User 7", no person is the system. */
export function usePeople(ids: readonly (number | null | undefined)[]): (id: number | null | undefined) => string {
  const wanted = [...new Set(ids.filter((id): id is number => typeof id === 'number'))].sort((a, b) => a - b);
  const { data } = useQuery({
    queryKey: ['people', wanted.join(',')],
    queryFn: () => read<PersonName[]>('/api/users/names', { query: { ids: wanted.join(',') } }),
    enabled: wanted.length > 0,
    staleTime: 300_000,
    // With one more person those known before keep their names meanwhile.
    placeholderData: keepPreviousData,
  });
  // As long as the names are the same, so is the function: lists hang on it by the row.
  return useCallback(
    (id) => {
      if (id === null || id === undefined) return SYSTEM;
      const person = data?.find((candidate) => candidate.id === id);
      return person === undefined ? `User ${id}` : (person.displayName ?? person.username);
    },
    [data],
  );
}
