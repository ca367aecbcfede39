/** The moment that a page shows: undefined is the present. */
import { createContext, useContext } from 'react';
import type { Moment } from '../api/moment.ts';

export const MomentContext = createContext<Moment>(undefined);

export const useMoment = (): Moment => useContext(MomentContext);

/** Whether the page shows the past, which is read-only. */
export const useIsPast = (): boolean => useMoment() !== undefined;
