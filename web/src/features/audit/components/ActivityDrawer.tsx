/** The details of an activity: the rows that it changed, page by page, and a button that shows its events. */
import { ACTIVITY_ROWS_PAGE, type ActivityRow, type AuditActivity } from '@rdm/contracts/audit/activities';
import { activityActor } from '@rdm/contracts/audit/describe';
import { foldText } from '@rdm/contracts/text/text';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, List } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { monitorPath } from '../../../components/job-bar/path.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { activityRowsQuery } from '../api/activities.ts';
import { Instant, Transition } from './columns.tsx';
import { Fact, Facts } from './Facts.tsx';
import { PathTable } from './PathTable.tsx';

export interface ActivityDrawerProps {
  activity: AuditActivity;
  /** The search text of the list. Rows whose key or label contains this text are marked. */
  searchText: string | undefined;
  onEvents: () => void;
  onClose: () => void;
}

const countText = (count: number, one: string, many: string) => `${formatNumber(count)} ${count === 1 ? one : many}`;

export function ActivityDrawer({ activity, searchText, onEvents, onClose }: ActivityDrawerProps) {
  const { events, jobId, comment, created, changed, removed, decided } = activity;
  const outcome = [
    [created, 'created'],
    [changed, 'changed'],
    [removed, 'removed'],
    [decided, 'decided, without a change of content'],
  ] as const;
  const parts = outcome.flatMap(([count, word]) => (count > 0 ? [`${formatNumber(count)} ${word}`] : []));
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title="Activity"
      description={activity.line}
      className="max-w-[640px]"
      footer={
        <Button onClick={onEvents}>
          <List />
          {events === 1 ? 'Show the event' : `Show the ${formatNumber(events)} events`}
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        <Facts>
          <Fact label="Time">
            <Instant at={activity.timestamp} />{' '}
            <span className="text-muted">
              (<RelativeTime at={activity.timestamp} />)
            </span>
          </Fact>
          <Fact label="User">{activityActor(activity)}</Fact>
          <Fact label="Source">{activity.sourceType}</Fact>
          {parts.length > 0 && <Fact label="Rows">{parts.join(', ')}</Fact>}
          {comment !== null && <Fact label="Comment">{comment}</Fact>}
          {jobId !== null && (
            <Fact label="Job">
              <Link to={monitorPath(jobId)} className="text-accent underline underline-offset-2">
                Job {jobId}
              </Link>
            </Fact>
          )}
        </Facts>
        {activity.rows > 0 && <Rows id={activity.id} searchText={searchText} />}
      </div>
    </Drawer>
  );
}

function Rows({ id, searchText }: { id: number; searchText: string | undefined }) {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(activityRowsQuery(id, page));
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="w-1/2" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  const { items, total } = data;
  if (total === 0) return null;
  const first = (page - 1) * ACTIVITY_ROWS_PAGE;
  return (
    <section aria-labelledby="rows">
      <div className="mb-1.5 flex items-center gap-2">
        <h3 id="rows" className="flex-1 font-medium">
          {countText(total, 'row', 'rows')}
        </h3>
        {total > ACTIVITY_ROWS_PAGE && (
          <>
            <p role="status" className="text-muted text-xs tabular-nums">
              {formatNumber(first + 1)}–{formatNumber(first + items.length)}
            </p>
            <Button size="icon-sm" aria-label="Previous rows" disabled={page === 1} onClick={() => setPage(page - 1)}>
              <ChevronLeft />
            </Button>
            <Button
              size="icon-sm"
              aria-label="Next rows"
              disabled={first + items.length >= total}
              onClick={() => setPage(page + 1)}
            >
              <ChevronRight />
            </Button>
          </>
        )}
      </div>
      <ul aria-label="Rows" className="flex flex-col gap-3">
        {items.map((row) => (
          <li key={`${row.entityType} ${row.entityId} ${row.id}`}>
            <Row row={row} isFound={searchText !== undefined && hasText(row, searchText)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const hasText = ({ key, label }: ActivityRow, searchText: string): boolean =>
  [key, label].some((text) => text !== null && foldText(text).includes(foldText(searchText)));

function Row({ row, isFound }: { row: ActivityRow; isFound: boolean }) {
  const { key, label, status, entityName, changes } = row;
  const text = (value: unknown) => (value === null || value === '' ? undefined : String(value));
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 py-1">
        {isFound ? (
          <mark className="bg-accent-soft px-1 font-medium font-mono text-ink">{key}</mark>
        ) : (
          <span className="font-medium font-mono">{key}</span>
        )}
        {label !== null && <span>{label}</span>}
        <span className="text-muted">{entityName}</span>
        {status !== null && <Transition before={status.before} after={status.after} />}
      </p>
      {changes.length > 0 && (
        <PathTable
          label={`Changes of ${key}`}
          empty=""
          paths={changes.map(({ field, before, after }) => ({ path: field, before: text(before), after: text(after) }))}
        />
      )}
    </>
  );
}
