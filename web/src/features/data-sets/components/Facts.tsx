/** Shows a summary of a data set, such as the type, the key and the collections. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { useQuery } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { Link } from 'react-router-dom';
import { Badge } from '../../../components/ui/badge.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { urlOf } from '../../../lib/api/index.ts';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { formatNumber, totalText } from '../../../lib/number-format.ts';
import { useIsPast } from '../../../lib/past/index.ts';
import { relationshipsFilter, relationshipsOfDataSetQuery } from '../api/data-sets.ts';
import { useBrokenCounts } from '../api/integrity.ts';
import { BrokenBadge } from './BrokenBadge.tsx';
import { Collections } from './columns.tsx';

const LINK_CLASSES = 'text-accent underline-offset-2 hover:underline';
const RELATIONSHIPS_SHOWN = 3;

export const Facts = memo(function Facts({ dataSet }: { dataSet: DataSetView }) {
  const isPast = useIsPast();
  const ids = useMemo(() => [dataSet.id], [dataSet.id]);
  const broken = useBrokenCounts(ids).get(dataSet.id) ?? 0;
  return (
    <dl className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
      <Fact label="Rows">
        <span className="font-medium tabular-nums">{formatNumber(dataSet.instanceCount)}</span>
      </Fact>
      <Fact label="Type">{dataSet.typeName}</Fact>
      <Fact label="Key">
        <span className="font-mono">{dataSet.primaryKeyFields.join(', ')}</span>
      </Fact>
      <Fact label="Collections">
        <Collections collections={dataSet.collections} />
      </Fact>
      {dataSet.crosswalkCount > 0 && (
        <Fact label="Crosswalks">
          <Link to={`/crosswalks?q=${encodeURIComponent(dataSet.name)}`} className={LINK_CLASSES}>
            {formatNumber(dataSet.crosswalkCount)}
          </Link>
        </Fact>
      )}
      {/* Counts pending mappings and relationship values from this data set to targets that the user may read. */}
      {dataSet.pendingCount > 0 && (
        <Fact label="Pending">
          {formatNumber(dataSet.pendingCount)} {dataSet.pendingCount === 1 ? 'change' : 'changes'}
        </Fact>
      )}
      <Relationships dataSetId={dataSet.id} />
      {broken > 0 && (
        <Fact label="Integrity">
          <Link to={`/reference-data/${dataSet.id}/integrity`}>
            <BrokenBadge count={broken} />
          </Link>
        </Fact>
      )}
      {!isPast && (
        <Fact label="My level">
          <Badge tone="outline">{dataSet.level}</Badge>
        </Fact>
      )}
      {dataSet.isPublic && (
        <Fact label="Graph">
          <Badge tone="outline">
            <Globe aria-hidden="true" className="size-3" />
            Public
          </Badge>
        </Fact>
      )}
    </dl>
  );
});

/**
 * Links to the first relationships of the data set and, if there are more, to the list of all. Shows nothing to a user
 * who may not open the page of relationships.
 */
function Relationships({ dataSetId }: { dataSetId: number }) {
  const user = useCurrentUser();
  const { data } = useQuery({
    ...relationshipsOfDataSetQuery(dataSetId, RELATIONSHIPS_SHOWN),
    enabled: mayOpen('/relationships', user),
  });
  if (data === undefined || data.items.length === 0) return null;
  const { items, total } = data;
  return (
    <Fact label="Relationships">
      <span className="flex flex-wrap gap-x-3">
        {items.map(({ id, name }) => (
          <Link key={id} to={`/relationships/${id}/values`} className={cn(LINK_CLASSES, 'max-w-64 truncate')}>
            {name}
          </Link>
        ))}
        {total !== items.length && (
          <Link to={urlOf('/relationships', { filter: relationshipsFilter(dataSetId) })} className={LINK_CLASSES}>
            All {totalText(total)}
          </Link>
        )}
      </span>
    </Fact>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-1.5">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
