/** Reloads a list when the log grows. Polls the head of the log, because no live room covers all entries. */
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { headQuery } from '../api/audit.ts';

export function useNewEntries(queryKey: QueryKey): void {
  const queries = useQueryClient();
  const { data: head } = useQuery(headQuery);
  const lastSeq = useRef<number>(undefined);
  const latestKey = useRef(queryKey);
  useEffect(() => {
    latestKey.current = queryKey;
  });
  useEffect(() => {
    const seq = head?.seq;
    if (seq === undefined) return;
    if (lastSeq.current !== undefined && lastSeq.current !== seq) {
      void queries.invalidateQueries({ queryKey: latestKey.current });
    }
    lastSeq.current = seq;
  }, [head, queries]);
}
