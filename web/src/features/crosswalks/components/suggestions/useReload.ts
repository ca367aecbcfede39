/** Reloads the pages of a crosswalk: `reload` at once, `reloadSoon` after a pause without further calls. */
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { reloadCrosswalk } from '../../api/crosswalks.ts';

const PAUSE_MS = 400;

export function useReload(crosswalkId: number) {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const reload = () => reloadCrosswalk(queries, crosswalkId);
  const reloadSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void reload(), PAUSE_MS);
  };
  return { reload, reloadSoon };
}
