/** Columns of the approvals list, by tab. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import { APPROVAL_FIELDS } from '@rdm/contracts/approvals/list-fields';
import { ArrowLeftRight, Lock, Waypoints } from 'lucide-react';
import { createContext, useContext, useEffect, useRef } from 'react';
import { columnsOf, type GridColumn, NONE } from '../../../components/data-grid/index.ts';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { type ApprovalTab, isDefinitionItem, itemKey, parentOf } from '../api/approvals.ts';
import { itemRefusal, KIND_WORDS } from './items.ts';

export interface ColumnContext {
  userId: number;
  nameOf: (id: number | null | undefined) => string;
  /** The key of the item whose record is displayed beside the list. */
  displayed: string | undefined;
}
/** The current user, the user names in the list, and the displayed item. */
export const ApprovalColumnContext = createContext<ColumnContext>({
  userId: 0,
  nameOf: () => '',
  displayed: undefined,
});

export function Status({ item }: { item: ApprovalView }) {
  if (item.status === 'RECALLED') return <StatusBadge status="DRAFT">Recalled</StatusBadge>;
  if (item.undoneAt !== null) return <StatusBadge status="DRAFT">Undone</StatusBadge>;
  return <StatusBadge status={item.status} />;
}

function Title({ item }: { item: ApprovalView }) {
  const { userId, displayed } = useContext(ApprovalColumnContext);
  const isDisplayed = displayed === itemKey(item);
  const element = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (isDisplayed) element.current?.closest('[data-row]')?.scrollIntoView({ block: 'nearest' });
  }, [isDisplayed]);
  const KindIcon = parentOf(item) === 'crosswalk' ? ArrowLeftRight : Waypoints;
  const refusal = item.status === 'PENDING' ? itemRefusal('approve', item, userId) : undefined;
  return (
    <span
      ref={element}
      data-row-key={itemKey(item)}
      aria-current={isDisplayed ? 'true' : undefined}
      className={cn(
        refusal !== undefined && 'text-muted',
        isDisplayed && '-ml-2 border-accent border-l-[3px] pl-[5px]',
      )}
    >
      {isDefinitionItem(item) && <KindIcon aria-label={KIND_WORDS[item.kind]} className="mr-1.5 inline size-3.5" />}
      <span className={isDefinitionItem(item) ? 'font-medium' : 'font-mono'}>{item.title}</span>
      {item.deletionRequested && <Badge className="ml-2">Deletion</Badge>}
      <span className="ml-2 text-muted">{!isDefinitionItem(item) && item.parentName}</span>
      {refusal !== undefined && (
        <span title={refusal}>
          <Lock aria-hidden="true" className="ml-1.5 inline size-3" />
          <span className="sr-only">{refusal}</span>
        </span>
      )}
    </span>
  );
}

function Name({ id }: { id: number | null }) {
  return <>{useContext(ApprovalColumnContext).nameOf(id)}</>;
}

const { custom, text, time } = columnsOf<ApprovalView>(APPROVAL_FIELDS);

const title = text('title', { cell: (item) => <Title item={item} />, required: true, minWidth: 140 });
const parent = text('parentName', { minWidth: 150 });
const submitter = custom('submittedBy', {
  cell: (item) => <Name id={item.submittedBy} />,
  sortable: false,
  width: 108,
});
const submitted = time('submittedAt', { width: 116 });
const status = custom('status', { cell: (item) => <Status item={item} />, width: 112 });
const decider = custom('decidedBy', {
  cell: (item) => (item.decidedBy === null ? NONE : <Name id={item.decidedBy} />),
  sortable: false,
  width: 108,
});
const decided = time('decidedAt', { width: 116 });

export const APPROVAL_COLUMNS: Record<ApprovalTab, readonly GridColumn<ApprovalView>[]> = {
  review: [title, { ...parent, hidden: true }, submitter, submitted],
  submitted: [title, status, { ...parent, hidden: true }, submitted, decider],
  decided: [title, status, { ...parent, hidden: true }, { ...submitter, hidden: true }, decider, decided],
};

const narrow = (columns: readonly GridColumn<ApprovalView>[]) =>
  columns.map((column) => (column === title ? { ...column, wrap: true } : column));

/** The columns on a phone: titles wrap, so that reviewers can read them completely. */
export const NARROW_COLUMNS: typeof APPROVAL_COLUMNS = {
  review: narrow(APPROVAL_COLUMNS.review),
  submitted: narrow(APPROVAL_COLUMNS.submitted),
  decided: narrow(APPROVAL_COLUMNS.decided),
};

export const APPROVAL_FILTERS = filterFields(APPROVAL_FIELDS, [
  'title',
  'kind',
  'parentName',
  'status',
  'deletionRequested',
  'isReturned',
  'comment',
  'submittedAt',
  'decidedAt',
  'decisionComment',
  'batchId',
  'decisionId',
]);
