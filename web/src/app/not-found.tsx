/** An address that leads nowhere. */
import { MapPinOff } from 'lucide-react';
import { Link } from 'react-router-dom';
import { EmptyState } from '../components/empty-state/index.tsx';
import { Button } from '../components/ui/button.tsx';
import { useTitle } from './page.tsx';

export function NotFound() {
  useTitle('Page not found');
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
