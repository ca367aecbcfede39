/** Explains why the user cannot open a collection, and links to the data sets if the user can read the collection. */
import { Table2 } from 'lucide-react';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { ApiError, NoLongerShared } from '../../../lib/api/index.ts';
import { dataSetsOf } from './links.ts';

const LIST = { to: '/collections', label: 'All collections' };

export function CollectionUnavailable({ id, error, onRetry }: { id: number; error: unknown; onRetry: () => void }) {
  const isReader = error instanceof ApiError && error.code === 'FORBIDDEN' && !(error instanceof NoLongerShared);
  if (!isReader) return <NotLoaded noun="collection" error={error} onRetry={onRetry} list={LIST} />;
  return (
    <>
      <PageHeader
        title="Collection"
        actions={
          <Button asChild variant="ghost">
            <Link to={LIST.to}>{LIST.label}</Link>
          </Button>
        }
      />
      <EmptyState
        title="This page is for the administrators of the collection"
        description="You can open the data sets of the collection, but not its settings."
        action={
          <Button asChild variant="primary">
            <Link to={dataSetsOf(id)}>
              <Table2 />
              Show its data sets
            </Link>
          </Button>
        }
      />
    </>
  );
}
