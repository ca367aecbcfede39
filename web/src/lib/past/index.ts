/** The moment that a page looks at, for what it renders: undefined is the present. */
import { createContext, useContext } from 'react';
import type { Moment } from '../api/moment.ts';

export const MomentContext = createContext<Moment>(undefined);

export const useMoment = (): Moment => useContext(MomentContext);

/** Nothing can be changed, and nobody changes anything meanwhile. */
export const useIsPast = (): boolean => useMoment() !== undefined;
