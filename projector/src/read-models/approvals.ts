/**
 * Tables of the approvals dashboard: one item per submission (open, decided or recalled) and per undone decision, and
 * the counts of the open items.
 */
import type { ApprovalKind } from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Change, Row } from '../tables/folded-table.ts';
import type { ReviewColumns, ReviewEvent } from '../tables/review-columns.ts';
import { insertRows, type Key, patchRows, removeRows, type TableOf, type WriteContext } from '../tables/rows.ts';
import { addCounts } from '../tables/status-counts.ts';

interface ApprovalItem extends Row {
  kind: ApprovalKind;
  /** The crosswalk or relationship of the reviewed row; the entity itself if its definition is reviewed. */
  parent_id: number;
  id: number;
  submission: number;
  revision: number;
  status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'RECALLED';
  deletion_requested: boolean;
  title: string;
  before: object | null;
  after: object | null;
  authors: number[];
  submitted_by: number | null;
  submitted_at: string | null;
  comment: string | null;
  batch_id: string | null;
  decided_by: number | null;
  decided_at: string | null;
  decision_comment: string | null;
  /** The command that decided or recalled the submission. */
  decision_id: string | null;
  /**
   * The user, the time and the seq of the undo of a decision; the seq is 0 without an undo. The seq is part of the key:
   * the reopened item and the item of the undone decision have the same `submission`.
   */
  undone_by: number | null;
  undone_at: string | null;
  undone_seq: number;
  source_data_set_id: number | null;
  target_data_set_id: number | null;
}

/** Each projection with reviewable rows has its own table of items; queries list all items as one table. */
const approvalItemsTable = (name: string): TableOf<ApprovalItem> => ({
  name,
  columns: {
    kind: 'text',
    parent_id: 'bigint',
    id: 'bigint',
    submission: 'integer',
    revision: 'integer',
    status: 'text',
    deletion_requested: 'boolean',
    title: 'text',
    before: 'jsonb',
    after: 'jsonb',
    authors: 'bigint[]',
    submitted_by: 'bigint',
    submitted_at: 'timestamptz',
    comment: 'text',
    batch_id: 'text',
    decided_by: 'bigint',
    decided_at: 'timestamptz',
    decision_comment: 'text',
    decision_id: 'text',
    undone_by: 'bigint',
    undone_at: 'timestamptz',
    undone_seq: 'bigint',
    source_data_set_id: 'bigint',
    target_data_set_id: 'bigint',
    valid_from: 'bigint',
  },
  key: ['parent_id', 'id', 'kind', 'submission', 'undone_seq'],
  indexes: [
    `(submitted_at, kind, parent_id, id, submission) WHERE status = 'PENDING'`,
    '(submitted_by, submitted_at)',
    '(decided_at) WHERE decided_at IS NOT NULL',
  ],
});

/**
 * The number of pending items of a crosswalk or relationship with the same authors and submitter. With these numbers,
 * the items that a user may decide or has submitted are counted without reading every item.
 */
interface PendingCount {
  parent_id: number;
  authors: number[];
  /** 0 if the system submitted the items. */
  submitted_by: number;
  pending: number;
}

const pendingCountsTable = (name: string): TableOf<PendingCount> => ({
  name,
  columns: { parent_id: 'bigint', authors: 'bigint[]', submitted_by: 'bigint', pending: 'bigint' },
  key: ['parent_id', 'authors', 'submitted_by'],
});

/** `prefix` distinguishes the tables of crosswalks and relationships. */
export const approvalTables = (prefix = ''): ApprovalTables => ({
  items: approvalItemsTable(`${prefix}approval_items`),
  pendingCounts: pendingCountsTable(`${prefix}pending_counts`),
});

/** The parts of an item that depend on the kind of the reviewed row. */
export interface ApprovalSubject {
  kind: ApprovalKind;
  parent_id: number;
  id: number;
  title: string;
  /** The served value and the requested one. */
  served: object | null;
  requested: object;
  data_set_ids: readonly [number | null, number | null];
}

type ReviewableRow = Row & ReviewColumns & { deleted?: boolean };

const isPending = (row: ReviewableRow | undefined): row is ReviewableRow =>
  row !== undefined && row.approval_status === 'PENDING' && row.deleted !== true;

function openItem(row: ReviewableRow, subject: ApprovalSubject, seq: number): ApprovalItem {
  return {
    kind: subject.kind,
    parent_id: subject.parent_id,
    id: subject.id,
    submission: row.submissions,
    revision: row.revision,
    status: 'PENDING',
    deletion_requested: row.deletion_requested,
    title: subject.title,
    before: subject.served,
    after: row.deletion_requested ? null : subject.requested,
    authors: row.authors,
    submitted_by: row.submitted_by,
    submitted_at: row.submitted_at,
    comment: row.submission_comment,
    batch_id: row.batch_id,
    decided_by: null,
    decided_at: null,
    decision_comment: null,
    decision_id: null,
    undone_by: null,
    undone_at: null,
    undone_seq: 0,
    source_data_set_id: subject.data_set_ids[0],
    target_data_set_id: subject.data_set_ids[1],
    valid_from: seq,
  };
}

function statusAfter(event: NumberedEvent<ReviewEvent>): ApprovalItem['status'] {
  if (event.type.endsWith('Approved')) return 'APPROVED';
  return event.type.endsWith('Recalled') ? 'RECALLED' : 'REJECTED';
}

const DECISION = /(Approved|Rejected)$/;

const undoesDecision = ({ type }: NumberedEvent<ReviewEvent>, before: ReviewableRow): boolean =>
  type.endsWith('Undone') && DECISION.test(before.last_event);

/** Returns the item of an undone decision: the reopened `item` with the decision of the row before the undo. */
const itemOfUndoneDecision = (
  item: ApprovalItem,
  before: ReviewableRow,
  event: NumberedEvent<ReviewEvent>,
): ApprovalItem => ({
  ...item,
  revision: before.revision,
  status: before.last_event.endsWith('Approved') ? 'APPROVED' : 'REJECTED',
  decided_by: before.updated_by,
  decided_at: before.updated_at,
  decision_comment: before.comment,
  decision_id: 'undoes' in event.data ? event.data.undoes : null,
  undone_by: event.metadata.actorId,
  undone_at: event.metadata.occurredAt,
  undone_seq: event.seq,
});

/** Columns that change when an open item is decided or recalled. */
const END_COLUMNS = ['status', 'decided_by', 'decided_at', 'decision_comment', 'decision_id', 'valid_from'] as const;
type ItemEnd = Pick<
  ApprovalItem,
  'kind' | 'parent_id' | 'id' | 'submission' | 'undone_seq' | (typeof END_COLUMNS)[number]
>;

/** The changes of the table of items by one batch of events. */
interface ItemChanges {
  /** New versions of items, and the keys of the stored items that they replace. */
  items: ApprovalItem[];
  replaced: Key[];
  /** Stored items that were decided or recalled: only the columns of the decision change. */
  ended: ItemEnd[];
}

/** Returns the changes of the items that a batch of events opens, revises, decides, recalls or reopens. */
function approvalItemChanges<R extends ReviewableRow, E extends ReviewEvent>(
  changes: readonly Change<R, E>[],
  subjectOf: (row: R, event: NumberedEvent<E>) => ApprovalSubject,
): ItemChanges {
  const items = new Map<string, ApprovalItem>();
  const replaced: Key[] = [];
  const ended = new Map<string, ItemEnd>();
  const undone: ApprovalItem[] = [];
  const keyOf = ({ kind, parent_id, id, submission, undone_seq }: ItemEnd): Key => [
    parent_id,
    id,
    kind,
    submission,
    undone_seq,
  ];
  for (const { event, before, after } of changes) {
    if (isPending(after)) {
      const item = openItem(after, subjectOf(after, event), event.seq);
      const key = keyOf(item);
      if (after.submissions === before?.submissions && !items.has(key.join(' '))) replaced.push(key);
      items.set(key.join(' '), item);
      // An undo may have reopened an item that this batch of events decided.
      ended.delete(key.join(' '));
      if (before && undoesDecision(event, before)) undone.push(itemOfUndoneDecision(item, before, event));
    } else if (isPending(before)) {
      const { kind, parent_id, id } = subjectOf(before, event);
      const end: ItemEnd = {
        kind,
        parent_id,
        id,
        submission: before.submissions,
        undone_seq: 0,
        status: statusAfter(event),
        decided_by: event.metadata.actorId,
        decided_at: event.metadata.occurredAt,
        decision_comment: 'comment' in event.data ? (event.data.comment ?? null) : null,
        decision_id: event.metadata.$causationId,
        valid_from: event.seq,
      };
      const name = keyOf(end).join(' ');
      const open = items.get(name);
      if (open) items.set(name, { ...open, ...end });
      else ended.set(name, end);
    }
  }
  return { items: [...items.values(), ...undone], replaced, ended: [...ended.values()] };
}

/** Returns the changes to the counts: `pending` is the change of a count. */
function pendingCountChanges<R extends ReviewableRow, E extends ReviewEvent>(
  changes: readonly Change<R, E>[],
): PendingCount[] {
  const counts = new Map<string, PendingCount>();
  const add = (parentId: number, { authors, submitted_by }: ReviewableRow, by: number) => {
    const key = { parent_id: parentId, authors, submitted_by: submitted_by ?? 0 };
    const name = JSON.stringify(key);
    counts.set(name, { ...key, pending: (counts.get(name)?.pending ?? 0) + by });
  };
  for (const { event, before, after } of changes) {
    if (isPending(before)) add(event.entityId, before, -1);
    if (isPending(after)) add(event.entityId, after, 1);
  }
  return [...counts.values()].filter(({ pending }) => pending !== 0);
}

export interface ApprovalTables {
  items: TableOf<ApprovalItem>;
  pendingCounts: TableOf<PendingCount>;
}

/** Writes the items that a batch of events opens, revises, decides, recalls or reopens, and their counts. */
export async function writeApprovals<R extends ReviewableRow, E extends ReviewEvent>(
  context: WriteContext,
  tables: ApprovalTables,
  changes: readonly Change<R, E>[],
  subjectOf: (row: R, event: NumberedEvent<E>) => ApprovalSubject,
): Promise<void> {
  const { items, replaced, ended } = approvalItemChanges(changes, subjectOf);
  await removeRows(context, tables.items, replaced);
  await insertRows(context, tables.items.name, tables.items.columns, items);
  await patchRows(context, tables.items, END_COLUMNS, ended);
  const counts = pendingCountChanges(changes);
  await addCounts(context, tables.pendingCounts, counts);
  if (!counts.some(({ pending }) => pending < 0)) return;
  // Delete counts of 0, so that the rows do not depend on how the log is divided into batches.
  await context.client.query(`DELETE FROM ${context.schema}.${tables.pendingCounts.name} WHERE pending = 0`);
}
