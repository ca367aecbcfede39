/** Table of the approvals dashboard: one row per submission of a crosswalk or a mapping value, open or decided. */
import type { ApprovalKind, CrosswalkEvent, MappingEvent } from '@rdm/contracts';
import type { Change, Row } from './folded-table.ts';
import type { Numbered } from './numbered-event.ts';
import type { Reviewed } from './reviewed.ts';
import { insertRows, type Key, removeRows, type TableOf, type Writing } from './rows.ts';

interface ApprovalItem extends Row {
  kind: ApprovalKind;
  /** The crosswalk; for its header, itself. */
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
  source_data_set_id: number | null;
  target_data_set_id: number | null;
}

export const approvalItems: TableOf<ApprovalItem> = {
  name: 'approval_items',
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
    source_data_set_id: 'bigint',
    target_data_set_id: 'bigint',
    valid_from: 'bigint',
  },
  key: ['kind', 'parent_id', 'id', 'submission'],
  indexes: [
    `(submitted_at, kind, parent_id, id) WHERE status = 'PENDING'`,
    '(submitted_by, submitted_at)',
    '(decided_at) WHERE decided_at IS NOT NULL',
  ],
};

/** What an item shows of the row that is reviewed. */
export interface Subject {
  kind: ApprovalKind;
  parent_id: number;
  id: number;
  title: string;
  /** The value in force, and the one asked for. */
  served: object | null;
  asked: object;
  data_set_ids: readonly [number | null, number | null];
}

type ReviewedRow = Row & Reviewed & { deleted?: boolean };
type ReviewEvent = MappingEvent | CrosswalkEvent;

const isPending = (row: ReviewedRow | undefined): row is ReviewedRow =>
  row !== undefined && row.approval_status === 'PENDING' && row.deleted !== true;

function openItem(row: ReviewedRow, subject: Subject, seq: number): ApprovalItem {
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
    after: row.deletion_requested ? null : subject.asked,
    authors: row.authors,
    submitted_by: row.submitted_by,
    submitted_at: row.submitted_at,
    comment: row.submission_comment,
    batch_id: row.batch_id,
    decided_by: null,
    decided_at: null,
    decision_comment: null,
    source_data_set_id: subject.data_set_ids[0],
    target_data_set_id: subject.data_set_ids[1],
    valid_from: seq,
  };
}

function outcome(event: Numbered<ReviewEvent>): ApprovalItem['status'] {
  if (event.type.endsWith('Approved')) return 'APPROVED';
  return event.type.endsWith('Recalled') ? 'RECALLED' : 'REJECTED';
}

/** The items that a batch opened, revised or closed, each as it stands after it; and those of them that are in the table. */
export function itemsOf<R extends ReviewedRow, E extends ReviewEvent>(
  changes: readonly Change<R, E>[],
  subjectOf: (row: R, event: Numbered<E>) => Subject,
): { items: ApprovalItem[]; stored: Key[] } {
  const items = new Map<string, ApprovalItem>();
  const stored: Key[] = [];
  const put = (item: ApprovalItem, isNew: boolean) => {
    const key = [item.kind, item.parent_id, item.id, item.submission];
    if (!isNew && !items.has(key.join(' '))) stored.push(key);
    items.set(key.join(' '), item);
  };
  for (const { event, before, after } of changes) {
    if (isPending(after)) {
      put(openItem(after, subjectOf(after, event), event.seq), after.submissions !== before?.submissions);
    } else if (isPending(before)) {
      const comment = 'comment' in event.data ? (event.data.comment ?? null) : null;
      put(
        {
          ...openItem(before, subjectOf(before, event), event.seq),
          status: outcome(event),
          decided_by: event.metadata.actorId,
          decided_at: event.metadata.occurredAt,
          decision_comment: comment,
        },
        false,
      );
    }
  }
  return { items: [...items.values()], stored };
}

/** Writes the items of a batch. */
export async function writeItems(
  writing: Writing,
  { items, stored }: { items: ApprovalItem[]; stored: Key[] },
): Promise<void> {
  await removeRows(writing, approvalItems, stored);
  await insertRows(writing, approvalItems.name, approvalItems.columns, items);
}
