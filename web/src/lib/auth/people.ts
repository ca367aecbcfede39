/** Reads the names for user ids such as `actorId`, and the directory that pickers search. */
import type { PersonName } from '@rdm/contracts/identity/identity';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { read } from '../api/index.ts';

const SYSTEM = 'System';

interface Directory {
  users: PersonName[];
  groups: { id: number; name: string }[];
}

/** The active users and the groups that match `q`. */
export const directoryQuery = (q: string) =>
  queryOptions({
    queryKey: ['directory', q],
    queryFn: () => read<Directory>('/api/users/directory', { query: { q } }),
    placeholderData: keepPreviousData,
  });

/** Maps ids to names: "User 7" while a name is unknown or still loading, "System" for null and undefined. */
export function usePeople(ids: readonly (number | null | undefined)[]): (id: number | null | undefined) => string {
  const requestedIds = [...new Set(ids.filter((id): id is number => typeof id === 'number'))].sort((a, b) => a - b);
  const { data } = useQuery({
    queryKey: ['people', requestedIds.join(',')],
    queryFn: () => read<PersonName[]>('/api/users/names', { query: { ids: requestedIds.join(',') } }),
    enabled: requestedIds.length > 0,
    staleTime: 300_000,
    // While the name for a new id is loading, the known names stay displayed.
    placeholderData: keepPreviousData,
  });
  // The function is stable while the names are the same, because rows of lists re-render when the function changes.
  return useCallback(
    (id) => {
      if (id === null || id === undefined) return SYSTEM;
      const person = data?.find((candidate) => candidate.id === id);
      return person === undefined ? `User ${id}` : (person.displayName ?? person.username);
    },
    [data],
  );
}
