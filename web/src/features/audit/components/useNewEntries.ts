/** Reloads a list when the log has grown. It polls the head, because no live room covers the entries of rows and users. */
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { headQuery } from '../api/audit.ts';

export function useNewEntries(queryKey: QueryKey): void {
  const queries = useQueryClient();
  const { data: head } = useQuery(headQuery);
  const known = useRef<number>(undefined);
  const latest = useRef(queryKey);
  useEffect(() => {
    latest.current = queryKey;
  });
  useEffect(() => {
    const seq = head?.seq;
    if (seq === undefined) return;
    if (known.current !== undefined && known.current !== seq) {
      void queries.invalidateQueries({ queryKey: latest.current });
    }
    known.current = seq;
  }, [head, queries]);
}
