/**
 * Shows the impact of approving an item: the change itself, mapped values without a row, the number of translation
 * requests, and the crosswalks whose source is the target data set.
 */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import type { RequestImpact } from '@rdm/contracts/review/request-impact';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { downstreamCrosswalksQuery, parentQuery, valueExistsQuery } from '../api/approvals.ts';
import { countText, impactOf } from './items.ts';

export function Downstream({ item }: { item: ApprovalView }) {
  const parent = useQuery(parentQuery(item));
  return (
    <section aria-label="Downstream impact" className="flex flex-col gap-1.5">
      <h3 className="font-medium text-sm">When approved</h3>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-sm">
        <li>{impactOf(item, parent.data)}</li>
        {item.kind === 'mapping' &&
          !item.deletionRequested &&
          parent.data !== undefined &&
          'sourceAttribute' in parent.data && (
            <>
              <MissingValue
                dataSetId={item.sourceDataSetId}
                name={parent.data.sourceName}
                field={parent.data.sourceAttribute}
                value={item.after?.['sourceValue']}
              />
              <MissingValue
                dataSetId={item.targetDataSetId}
                name={parent.data.targetName}
                field={parent.data.targetAttribute}
                value={item.after?.['targetValue']}
              />
            </>
          )}
        {item.impact !== null && <RequestCount impact={item.impact} />}
        <DownstreamCrosswalks item={item} />
      </ul>
    </section>
  );
}

interface MissingValueProps {
  dataSetId: number;
  name: string;
  field: string;
  value: unknown;
}

/** Warns if no row of the data set has the value. The value was then mapped by mistake, or its row was deleted. */
function MissingValue({ dataSetId, name, field, value }: MissingValueProps) {
  const { data: exists } = useQuery(valueExistsQuery(dataSetId, field, String(value)));
  if (exists !== false) return null;
  return (
    <li className="text-pending-text">
      No row of {name} has the {field} <span className="font-mono">{String(value)}</span>.
    </li>
  );
}

function RequestCount({ impact }: { impact: RequestImpact }) {
  if (impact.requests === 0) return <li>The source value has not been requested yet.</li>;
  return (
    <li>
      The source value was requested {countText(impact.requests, 'time')}
      {impact.lastRequestedAt !== null && (
        <>
          , last <RelativeTime at={impact.lastRequestedAt} />
        </>
      )}
      .
    </li>
  );
}

/** Links to the crosswalks whose source is the target data set of the mapping or crosswalk. */
function DownstreamCrosswalks({ item }: { item: ApprovalView }) {
  const { data } = useQuery(downstreamCrosswalksQuery(item));
  if (data === undefined || data.items.length === 0) return null;
  const total = typeof data.total === 'number' ? data.total : data.total.atLeast;
  const more = total - data.items.length;
  return (
    <li>
      {countText(total, 'crosswalk')} {total === 1 ? 'translates' : 'translate'} its target further:{' '}
      {data.items.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to={`/crosswalks/${id}/mappings`} className="text-accent underline underline-offset-2">
            {name}
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${countText(more, 'other')}`}.
    </li>
  );
}
