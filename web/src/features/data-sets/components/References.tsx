/** The mappings that speak of a row, as far as one may read them. */
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { referencesQuery } from '../api/instances.ts';

export function References({ dataSetId, rowId }: { dataSetId: number; rowId: number }) {
  const references = useQuery(referencesQuery(dataSetId, rowId));
  if (references.error !== null && references.data === undefined) {
    return <ErrorState message={messageOf(references.error)} onRetry={() => void references.refetch()} />;
  }
  if (references.data === undefined) {
    return (
      <div role="status" aria-label="Loading..." className="flex flex-col gap-3">
        <Skeleton className="w-2/3" />
        <Skeleton className="w-1/2" />
      </div>
    );
  }
  const { mappings, mappingCount } = references.data;
  if (mappings.length === 0) {
    return (
      <EmptyState
        title="Nothing speaks of this row"
        description="No mapping that you may read uses one of its values."
      />
    );
  }
  return (
    <>
      <ul className="divide-y divide-hairline border-hairline border-y text-sm">
        {mappings.map(({ id, crosswalkId, crosswalkName, side, sourceValue, targetValue, status }) => (
          <li key={`${side} ${id}`} className="flex items-start gap-3 py-2">
            <span className="min-w-0 flex-1">
              <Link
                to={`/crosswalks/${crosswalkId}/mappings?tab=${status.toLowerCase()}&q=${encodeURIComponent(sourceValue)}`}
                className="text-accent hover:underline"
              >
                {crosswalkName}
              </Link>
              <span className="flex items-center gap-1 break-all font-mono text-xs [&_svg]:size-3.5 [&_svg]:shrink-0">
                {side === 'source' ? (
                  <>
                    <ArrowRight aria-label="mapped to" /> {targetValue}
                  </>
                ) : (
                  <>
                    <ArrowLeft aria-label="mapped from" /> {sourceValue}
                  </>
                )}
              </span>
            </span>
            <StatusBadge status={status} />
          </li>
        ))}
      </ul>
      {mappingCount > mappings.length && (
        <p className="mt-2 text-muted text-xs">and {(mappingCount - mappings.length).toLocaleString('en')} more</p>
      )}
    </>
  );
}
