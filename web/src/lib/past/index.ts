/** The moment that a page shows: undefined is the present. */
import { createContext, useContext, useMemo } from 'react';
import type { Moment } from '../api/moment.ts';

export const MomentContext = createContext<Moment>(undefined);

export const useMoment = (): Moment => useContext(MomentContext);

/** Whether the page shows the past, which is read-only. */
export const useIsPast = (): boolean => useMoment() !== undefined;

/**
 * Returns the columns of a list. A page of the past has no level column, because the level is then READ for every row.
 */
export function useColumnsOfMoment<Column extends { id: string }>(columns: readonly Column[]): readonly Column[] {
  const isPast = useIsPast();
  return useMemo(() => (isPast ? columns.filter(({ id }) => id !== 'level') : columns), [columns, isPast]);
}
