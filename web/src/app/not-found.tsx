/** The page for an unknown URL. */
import { isAdminRoute } from '@rdm/contracts/access/permissions';
import { MapPinOff } from 'lucide-react';
import { Link, useLocation } from 'react-router-dom';
import { EmptyState } from '../components/empty-state/index.tsx';
import { Button } from '../components/ui/button.tsx';
import { useCurrentUser } from '../lib/auth/index.ts';
import { RefusedPage } from '../lib/auth/refused-page.tsx';
import { useTitle } from './page.tsx';

export function NotFound() {
  const user = useCurrentUser();
  const { pathname } = useLocation();
  useTitle('Page not found');
  // Only administrators may learn which administrator pages exist.
  if (isAdminRoute(pathname) && !user.isAdmin) return <RefusedPage />;
  return (
    <>
      <h1 className="sr-only">Page not found</h1>
      <EmptyState
        icon={MapPinOff}
        title="There is no page at this address"
        description="The link may be old, or a character may be missing."
        action={
          <Button asChild variant="primary">
            <Link to="/">Go to the start page</Link>
          </Button>
        }
      />
    </>
  );
}
