/** The verbs of the review lifecycle: their labels, and which verbs apply to a row. */
import {
  REVIEW_REFUSALS,
  type Reviewable,
  type Reviewer,
  type ReviewVerb,
  refusal,
} from '@rdm/contracts/review/approval';
import { Check, type LucideIcon, RotateCcw, Send, ShieldX, Trash2, Undo2, X } from 'lucide-react';

/** All verbs except "edit", which has its own form. */
export type RowVerb = Exclude<ReviewVerb, 'edit'>;

export const VERB_ICONS: Record<RowVerb, LucideIcon> = {
  submit: Send,
  recall: Undo2,
  approve: Check,
  reject: X,
  revoke: ShieldX,
  discard: RotateCcw,
  delete: Trash2,
  restore: RotateCcw,
};

/** The tabs of rows by status. Deleted rows have their own tab, because they can only be restored. */
export type ReviewStatus = 'draft' | 'pending' | 'approved' | 'rejected' | 'deleted';

/** The verbs that each tab offers, in the order in which the tab shows them. */
export const TAB_VERBS: Record<ReviewStatus, readonly RowVerb[]> = {
  draft: ['submit', 'discard', 'delete'],
  pending: ['approve', 'reject', 'recall'],
  approved: ['revoke', 'delete'],
  rejected: ['discard', 'delete'],
  deleted: ['restore'],
};

/** A pending change must be recalled before it is edited, and a deleted row must be restored first. */
export const isEditable = (tab: ReviewStatus): boolean => tab !== 'pending' && tab !== 'deleted';

export const TAB_LETTERS: Record<ReviewStatus, Readonly<Record<string, RowVerb>>> = {
  draft: { s: 'submit' },
  pending: { a: 'approve', r: 'reject' },
  approved: {},
  rejected: {},
  deleted: { u: 'restore' },
};

export const TAB_HINTS: Record<ReviewStatus, string> = {
  draft: 'J K move · S submit · Shift+S submit with a comment · E edit · H history',
  pending: 'J K move · A approve · Shift+A approve with a comment · R reject · H history',
  approved: 'J K move · E edit · H history',
  rejected: 'J K move · E edit · H history',
  deleted: 'J K move · U restore · H history',
};

/** Why this user may not apply the verb to the row; undefined if they may. */
export function rowRefusal(verb: ReviewVerb, row: Reviewable<unknown>, by: Reviewer): string | undefined {
  const code = refusal(verb, row, by);
  return code === null ? undefined : REVIEW_REFUSALS[code];
}

/**
 * Returns the reason of the first row if all rows are refused. Returns undefined if the verb applies to at least one
 * row, or if there are no rows.
 */
export function bulkRefusal<Row>(
  rows: readonly Row[],
  refusalOf: (row: Row) => string | undefined,
): string | undefined {
  let first: string | undefined;
  for (const row of rows) {
    const reason = refusalOf(row);
    if (reason === undefined) return undefined;
    first ??= reason;
  }
  return first;
}

export interface VerbWords {
  action: string;
  /** The completed action, such as “Submitted”, for toasts, outcomes and the undo bar. */
  done: string;
  consequence: string;
  reasonRequired?: boolean;
  destructive?: boolean;
}

export const VERB_WORDS: Record<RowVerb, VerbWords> = {
  submit: {
    action: 'Submit',
    done: 'Submitted',
    consequence: 'An approver decides. Until then, the submitted version cannot be edited.',
  },
  recall: {
    action: 'Recall',
    done: 'Recalled',
    consequence: 'The submission is withdrawn, and its content can be edited again.',
  },
  approve: {
    action: 'Approve',
    done: 'Approved',
    consequence: 'The approved version is used from now on. Requested deletions are carried out.',
  },
  reject: {
    action: 'Reject',
    done: 'Rejected',
    consequence: 'The author can correct and submit again. Approved versions stay in use.',
    reasonRequired: true,
    destructive: true,
  },
  revoke: {
    action: 'Revoke',
    done: 'Revoked',
    consequence: 'The approved version is no longer used, with immediate effect.',
    reasonRequired: true,
    destructive: true,
  },
  discard: {
    action: 'Discard draft',
    done: 'Discarded',
    consequence: 'The approved value stays in use.',
    destructive: true,
  },
  delete: {
    action: 'Delete',
    done: 'Deleted',
    consequence: 'Drafts are deleted immediately. An approver must approve the deletion of approved values.',
    destructive: true,
  },
  restore: {
    action: 'Restore',
    done: 'Restored',
    consequence: 'The restored content is a draft, which is reviewed again before it is used.',
  },
};
