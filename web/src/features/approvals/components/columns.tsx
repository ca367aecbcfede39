/** Columns of the approvals list, by tab. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { ArrowLeftRight, Lock, Waypoints } from 'lucide-react';
import { createContext, useContext } from 'react';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { type ApprovalTab, isHeader, itemKey, parentOf } from '../api/approvals.ts';
import { isRecalled, itemRefusal, KIND_WORDS } from './items.ts';

export interface ColumnContext {
  userId: number;
  nameOf: (id: number | null | undefined) => string;
}
/** The current user, and the user names in the list. */
export const ReadingContext = createContext<ColumnContext>({ userId: 0, nameOf: () => '' });

export function Status({ item }: { item: ApprovalView }) {
  if (isRecalled(item)) return <StatusBadge status="DRAFT">Recalled</StatusBadge>;
  if (item.undoneAt !== null) return <StatusBadge status="DRAFT">Undone</StatusBadge>;
  return <StatusBadge status={item.status} />;
}

function Title({ item }: { item: ApprovalView }) {
  const { userId } = useContext(ReadingContext);
  const HeaderIcon = parentOf(item) === 'crosswalk' ? ArrowLeftRight : Waypoints;
  const forbidden = item.status === 'PENDING' ? itemRefusal('approve', item, userId) : undefined;
  return (
    <span data-row-key={itemKey(item)} className={forbidden === undefined ? '' : 'text-muted'}>
      {isHeader(item) && <HeaderIcon aria-label={KIND_WORDS[item.kind]} className="mr-1.5 inline size-3.5" />}
      <span className={isHeader(item) ? 'font-medium' : 'font-mono'}>{item.title}</span>
      {item.deletionRequested && <Badge className="ml-2">Deletion</Badge>}
      <span className="ml-2 text-muted">{!isHeader(item) && item.parentName}</span>
      {forbidden !== undefined && (
        <span title={forbidden}>
          <Lock aria-hidden="true" className="ml-1.5 inline size-3" />
          <span className="sr-only">{forbidden}</span>
        </span>
      )}
    </span>
  );
}

function Name({ id }: { id: number | null }) {
  return <>{useContext(ReadingContext).nameOf(id)}</>;
}

const title: GridColumn<ApprovalView> = {
  id: 'title',
  header: 'Item',
  cell: (item) => <Title item={item} />,
  value: (item) => item.title,
  sortable: true,
  required: true,
  minWidth: 140,
};

const parent: GridColumn<ApprovalView> = {
  id: 'parentName',
  header: 'Belongs to',
  cell: (item) => item.parentName,
  value: (item) => item.parentName,
  sortable: true,
  minWidth: 150,
};

const submitter: GridColumn<ApprovalView> = {
  id: 'submittedBy',
  header: 'Submitted by',
  cell: (item) => <Name id={item.submittedBy} />,
  width: 108,
};

const age: GridColumn<ApprovalView> = {
  id: 'submittedAt',
  header: 'Submitted',
  cell: (item) => <RelativeTime at={item.submittedAt} />,
  value: (item) => item.submittedAt,
  sortable: true,
  width: 116,
};

const status: GridColumn<ApprovalView> = {
  id: 'status',
  header: 'Status',
  cell: (item) => <Status item={item} />,
  value: (item) => item.status,
  sortable: true,
  width: 112,
};

const decider: GridColumn<ApprovalView> = {
  id: 'decidedBy',
  header: 'Decided by',
  cell: (item) => (item.decidedBy === null ? <span className="text-muted">—</span> : <Name id={item.decidedBy} />),
  width: 108,
};

const decided: GridColumn<ApprovalView> = {
  id: 'decidedAt',
  header: 'Decided',
  cell: (item) =>
    item.decidedAt === null ? <span className="text-muted">—</span> : <RelativeTime at={item.decidedAt} />,
  value: (item) => item.decidedAt,
  sortable: true,
  width: 116,
};

export const APPROVAL_COLUMNS: Record<ApprovalTab, readonly GridColumn<ApprovalView>[]> = {
  review: [title, { ...parent, hidden: true }, submitter, age],
  submitted: [title, status, { ...parent, hidden: true }, age, decider],
  decided: [title, status, { ...parent, hidden: true }, { ...submitter, hidden: true }, decider, decided],
};

const narrow = (columns: readonly GridColumn<ApprovalView>[]) =>
  columns.map((column) => (column === title ? { ...column, wrap: true } : column));

/** On a phone the name of an item wraps, so that reviewers can read all of it. */
export const NARROW_COLUMNS: typeof APPROVAL_COLUMNS = {
  review: narrow(APPROVAL_COLUMNS.review),
  submitted: narrow(APPROVAL_COLUMNS.submitted),
  decided: narrow(APPROVAL_COLUMNS.decided),
};

export const APPROVAL_FILTERS: readonly FilterField[] = [
  { name: 'title', label: 'Item', dataType: 'string' },
  { name: 'kind', label: 'Kind', dataType: 'string' },
  { name: 'parentName', label: 'Belongs to', dataType: 'string' },
  { name: 'status', label: 'Status', dataType: 'string' },
  { name: 'deletionRequested', label: 'Deletion requested', dataType: 'boolean' },
  { name: 'isReturned', label: 'To correct', dataType: 'boolean' },
  { name: 'comment', label: 'Comment', dataType: 'string' },
  { name: 'submittedAt', label: 'Submitted', dataType: 'datetime' },
  { name: 'decidedAt', label: 'Decided', dataType: 'datetime' },
  { name: 'decisionComment', label: 'Reason', dataType: 'string' },
  { name: 'batchId', label: 'Submitted together', dataType: 'string' },
  { name: 'decisionId', label: 'Decided together', dataType: 'string' },
  { name: 'parent', label: 'Parent', dataType: 'string' },
];
