/** The mappings and relationship values that reference a row and that the user may read. */
import type { ApprovalStatus } from '@rdm/contracts/review/approval';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { referencesQuery } from '../api/instances.ts';

export function References({ dataSetId, rowId }: { dataSetId: number; rowId: number }) {
  const references = useQuery(referencesQuery(dataSetId, rowId));
  if (references.error !== null && references.data === undefined) {
    return <ErrorState error={references.error} onRetry={() => void references.refetch()} />;
  }
  if (references.data === undefined) {
    return (
      <div role="status" aria-label="Loading..." className="flex flex-col gap-3">
        <Skeleton className="w-2/3" />
        <Skeleton className="w-1/2" />
      </div>
    );
  }
  const { mappings, mappingCount, values, valueCount } = references.data;
  if (mappings.length === 0 && values.length === 0) {
    return (
      <EmptyState
        title="No references to this row"
        description="No mapping and no relationship value that you can read refers to this row."
      />
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <ReferenceList title="Mappings" count={mappingCount} shownCount={mappings.length}>
        {mappings.map(({ id, crosswalkId, crosswalkName, side, sourceValue, targetValue, status }) => (
          <Reference
            key={`${side} ${id}`}
            to={`/crosswalks/${crosswalkId}/mappings?tab=${status.toLowerCase()}&q=${encodeURIComponent(sourceValue)}`}
            parentName={crosswalkName}
            status={status}
          >
            {side === 'source' ? (
              <>
                <ArrowRight aria-label="mapped to" /> {targetValue}
              </>
            ) : (
              <>
                <ArrowLeft aria-label="mapped from" /> {sourceValue}
              </>
            )}
          </Reference>
        ))}
      </ReferenceList>
      <ReferenceList title="Relationship values" count={valueCount} shownCount={values.length}>
        {values.map((value) => {
          const isSource = value.sourceInstanceId === rowId && value.sourceDataSetId === dataSetId;
          const [key, label] = isSource ? [value.targetKey, value.targetLabel] : [value.sourceKey, value.sourceLabel];
          return (
            <Reference
              key={value.id}
              to={`/relationships/${value.relationshipId}/values?tab=${value.status.toLowerCase()}&q=${encodeURIComponent(value.sourceKey ?? '')}`}
              parentName={value.relationshipName}
              status={value.status}
            >
              {isSource ? <ArrowRight aria-label="related to" /> : <ArrowLeft aria-label="related from" />}{' '}
              {key ?? 'Deleted row'}
              {label !== null && <span className="font-sans text-muted">{label}</span>}
            </Reference>
          );
        })}
      </ReferenceList>
    </div>
  );
}

interface ReferenceListProps {
  title: string;
  count: number;
  shownCount: number;
  children: ReactNode;
}

function ReferenceList({ title, count, shownCount, children }: ReferenceListProps) {
  if (shownCount === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-medium text-sm">
        {title} <span className="font-normal text-muted">{formatNumber(count)}</span>
      </h3>
      <ul className="divide-y divide-hairline border-hairline border-y text-sm">{children}</ul>
      {count > shownCount && <p className="mt-2 text-muted text-xs">and {formatNumber(count - shownCount)} more</p>}
    </section>
  );
}

interface ReferenceProps {
  to: string;
  /** The name of the crosswalk or relationship that contains the reference. */
  parentName: string;
  status: ApprovalStatus;
  children: ReactNode;
}

function Reference({ to, parentName, status, children }: ReferenceProps) {
  return (
    <li className="flex items-start gap-3 py-2">
      <span className="min-w-0 flex-1">
        <Link to={to} className="text-accent hover:underline">
          {parentName}
        </Link>
        <span className="flex items-center gap-1 break-all font-mono text-xs [&_svg]:size-3.5 [&_svg]:shrink-0">
          {children}
        </span>
      </span>
      <StatusBadge status={status} />
    </li>
  );
}
