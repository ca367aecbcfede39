/** Redirects users without permission for a page to the start page (specification §6). */
import { isAdminRoute, mayOpen } from '@rdm/contracts/access/permissions';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { RefusedPage } from '../../lib/auth/refused-page.tsx';

export function RouteGuard({ children }: { children: ReactNode }) {
  const user = useCurrentUser();
  const { pathname } = useLocation();
  const allowed = (user.isAdmin || !isAdminRoute(pathname)) && mayOpen(pathname, user);
  return allowed ? children : <RefusedPage />;
}
