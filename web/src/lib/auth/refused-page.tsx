/** Redirects users from a page that their role cannot open, and passes the path of that page to the start page. */
import { Navigate, useLocation } from 'react-router-dom';

interface State {
  refusedPage: string;
}

/** Redirects to the start page (specification §4), which names the refused page. */
export function RefusedPage() {
  const { pathname } = useLocation();
  return <Navigate to="/" replace state={{ refusedPage: pathname } satisfies State} />;
}

/** The path of the refused page from which the user was redirected; undefined without such a redirect. */
export function useRefusedPage(): string | undefined {
  const state = useLocation().state as Partial<State> | null;
  return typeof state?.refusedPage === 'string' ? state.refusedPage : undefined;
}
