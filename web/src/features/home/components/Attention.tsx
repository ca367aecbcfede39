/**
 * Pending work of the user: changes to review, own rejected and submitted changes, drafts, requested values without a
 * mapping, jobs, an overdue backup and expiring API keys.
 */
import { mayOpen } from '@rdm/contracts/access/permissions';
import type { HomeView } from '@rdm/contracts/home/home';
import type { Total } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useMayJoinDataSets } from '../../../lib/data-sets/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import {
  approvalsQuery,
  EXPIRING_KEYS,
  expiringKeysQuery,
  homeKey,
  jobsQuery,
  missingQuery,
  OWN_WAITING,
  overdueBackupQuery,
  RETURNED_ITEMS,
  returnedQuery,
} from '../api/attention.ts';

const ROOMS = ['reviews'];
const KEYS = [homeKey];

export function Attention({ drafts = [] }: { drafts: HomeView['drafts'] | undefined }) {
  const user = useCurrentUser();
  useLive({ rooms: ROOMS, keys: KEYS });
  const approvals = useQuery({ ...approvalsQuery, enabled: mayOpen('/approvals', user) });
  const returned = useQuery({ ...returnedQuery, enabled: mayOpen('/approvals', user) });
  // A user without WRITE on any data set cannot map values.
  const mayMap = useMayJoinDataSets() === true;
  const missing = useQuery({ ...missingQuery, enabled: mayMap && mayOpen('/missing-mappings', user) });
  const jobs = useQuery(jobsQuery);
  const keys = useQuery({ ...expiringKeysQuery, enabled: mayOpen('/api-keys', user) });

  const backup = useQuery({ ...overdueBackupQuery, enabled: user.isAdmin });

  const { waiting = 0, ownWaiting = 0, oldestSubmittedAt = null } = approvals.data ?? {};
  const returnedCount = atLeast(returned.data);
  const missingCount = atLeast(missing.data);
  const expiringCount = atLeast(keys.data);
  const runningJobCount = jobs.data?.['IN_PROGRESS'] ?? 0;
  const failedJobCount = jobs.data?.['FAILED'] ?? 0;
  const queries = [approvals, returned, missing, jobs, keys, backup];
  const hasFailed = queries.some((query) => query.isError);

  const items: ReactNode[] = [
    waiting > 0 && (
      <Item
        key="approvals"
        to="/approvals"
        count={waiting}
        label={waiting === 1 ? 'change waits for your review' : 'changes wait for your review'}
      >
        {oldestSubmittedAt !== null && (
          <>
            The oldest was submitted <RelativeTime at={oldestSubmittedAt} />.
          </>
        )}
      </Item>
    ),
    returnedCount > 0 && (
      <Item
        key="returned"
        to={RETURNED_ITEMS}
        count={returnedCount}
        label={
          returnedCount === 1
            ? 'change of yours was rejected and waits for a correction'
            : 'changes of yours were rejected and wait for a correction'
        }
      />
    ),
    ownWaiting > 0 && (
      <Item
        key="submitted"
        to={OWN_WAITING}
        count={ownWaiting}
        label={
          ownWaiting === 1
            ? 'change that you submitted waits for an approver'
            : 'changes that you submitted wait for an approver'
        }
      />
    ),
    ...drafts.map(({ kind, id, name, count }) => (
      <Item
        key={`drafts-${kind}-${id}`}
        to={`/${kind}s/${id}/${kind === 'crosswalk' ? 'mappings' : 'values'}?tab=draft`}
        count={count}
        label={`${count === 1 ? 'draft' : 'drafts'} of yours in ${name}`}
      />
    )),
    missingCount > 0 && (
      <Item
        key="missing"
        to="/missing-mappings"
        count={missingCount}
        label={missingCount === 1 ? 'requested value has no mapping' : 'requested values have no mapping'}
      />
    ),
    runningJobCount > 0 && (
      <Item
        key="running"
        to="/monitor"
        count={runningJobCount}
        label={runningJobCount === 1 ? 'job is running' : 'jobs are running'}
      />
    ),
    failedJobCount > 0 && (
      <Item
        key="failed"
        to="/monitor"
        count={failedJobCount}
        label={failedJobCount === 1 ? 'job failed' : 'jobs failed'}
      />
    ),
    backup.data === true && (
      <Item key="backup" to="/admin/database-backup" count={1} label="backup is overdue">
        No backup has succeeded for two intervals of the schedule.
      </Item>
    ),
    expiringCount > 0 && (
      <Item
        key="api-keys"
        to={EXPIRING_KEYS}
        count={expiringCount}
        label={expiringCount === 1 ? 'API key expires soon' : 'API keys expire soon'}
      />
    ),
  ].filter((item) => item !== false);

  return (
    <section aria-labelledby="attention">
      <h2 id="attention" className="mb-2 font-semibold text-base">
        Needs attention
      </h2>
      <div className="rounded-md border border-hairline bg-surface">
        {queries.some((query) => query.isLoading) && items.length === 0 ? (
          <Skeleton className="m-4 w-1/3" />
        ) : items.length === 0 ? (
          <p className="flex items-center gap-2 p-4 text-muted">
            {!hasFailed && <CircleCheck aria-hidden="true" className="size-5 text-accent" />}
            {hasFailed ? 'Pending work could not be loaded.' : 'Nothing waits for you.'}
          </p>
        ) : (
          <ul className="divide-y divide-hairline">{items}</ul>
        )}
      </div>
    </section>
  );
}

const atLeast = (total: Total = 0): number => (typeof total === 'number' ? total : total.atLeast);

function Item({ to, count, label, children }: { to: string; count: number; label: string; children?: ReactNode }) {
  return (
    <li>
      <Link to={to} className="flex items-center gap-3 px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2">
        <span className="min-w-10 text-right font-semibold text-lg tabular-nums">{formatNumber(count)}</span>
        <span className="min-w-0 flex-1">
          {label}
          {children !== undefined && <span className="block text-muted text-xs">{children}</span>}
        </span>
        <ArrowRight aria-hidden="true" className="size-4 text-muted" />
      </Link>
    </li>
  );
}
