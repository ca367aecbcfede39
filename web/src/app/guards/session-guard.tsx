/** Renders the app only for signed-in users who do not have to change their password first (specification §4). */
import { lazy, type ReactNode, Suspense } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { ErrorState } from '../../components/empty-state/index.tsx';
import { CurrentUserContext, useSession } from '../../lib/auth/index.ts';
import { Loading } from '../page.tsx';

const RequiredPasswordChange = lazy(() => import('../../features/identity/components/RequiredPasswordChange.tsx'));

export function SessionGuard({ children }: { children: ReactNode }) {
  const { data: user, isPending, error, refetch } = useSession();
  const location = useLocation();

  if (isPending) return <Loading />;
  if (user === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (user === null) {
    // A sign-in must not return to an error that was shown already.
    const search = new URLSearchParams(location.search).has('error') ? '' : location.search;
    return <Navigate to="/auth" replace state={{ from: location.pathname + search + location.hash }} />;
  }
  if (user.requirePasswordChange) {
    return (
      <Suspense fallback={<Loading />}>
        <RequiredPasswordChange />
      </Suspense>
    );
  }
  return <CurrentUserContext value={user}>{children}</CurrentUserContext>;
}
