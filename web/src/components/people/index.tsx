/** User names for a page, loaded in one request. */
import { createContext, type ReactNode, useContext } from 'react';
import { usePeople } from '../../lib/auth/people.ts';

const Names = createContext<(id: number | null | undefined) => string>(() => '');

export function NamesOf({ ids, children }: { ids: readonly (number | null)[]; children: ReactNode }) {
  return <Names value={usePeople(ids)}>{children}</Names>;
}

export function Person({ id }: { id: number | null }) {
  return <>{useContext(Names)(id)}</>;
}
