/** A collection that does not open: its readers are led to its data sets, which are what was shared with them. */
import { Table2 } from 'lucide-react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { ApiError, NoLongerShared } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { dataSetsOf } from './links.ts';

export function NotOpened({ id, error, onRetry }: { id: number; error: unknown; onRetry: () => void }) {
  const isReader = error instanceof ApiError && error.code === 'FORBIDDEN' && !(error instanceof NoLongerShared);
  return (
    <>
      <PageHeader
        title="Collection"
        actions={
          <Button asChild variant="ghost">
            <Link to="/collections">All collections</Link>
          </Button>
        }
      />
      {isReader ? (
        <EmptyState
          title="This page is for the administrators of the collection"
          description="What it shares with you are its data sets."
          action={
            <Button asChild variant="primary">
              <Link to={dataSetsOf(id)}>
                <Table2 />
                Show its data sets
              </Link>
            </Button>
          }
        />
      ) : (
        <ErrorState
          title={error instanceof NoLongerShared ? 'No longer shared with you' : 'This collection could not be loaded'}
          message={messageOf(error)}
          onRetry={onRetry}
        />
      )}
    </>
  );
}
