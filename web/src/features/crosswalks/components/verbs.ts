/** What may be done to mappings: the lifecycle of contracts, asked with the words of a list. */
import { REVIEW_REFUSALS, type Reviewable, type Reviewer, refusal } from '@rdm/contracts/approval';
import type { MappingValue, MappingView } from '@rdm/contracts/crosswalks';
import type { MappingVerb } from '../api/mappings.ts';

export type RowVerb = MappingVerb | 'edit';

export const reviewable = (row: MappingView): Reviewable<MappingValue> => ({
  revision: row.revision,
  approvalStatus: row.status,
  value: { targetValue: row.targetValue, confidence: row.confidence },
  served: row.served,
  deletionRequested: row.deletionRequested,
  deleted: false,
  submittedBy: row.submittedBy,
  authors: row.authors,
});

/** Why this person may not do it to the row; undefined when they may. */
export function rowRefusal(verb: RowVerb, row: MappingView, by: Reviewer): string | undefined {
  const code = refusal(verb, reviewable(row), by);
  return code === null ? undefined : REVIEW_REFUSALS[code];
}

/**
 * Why it cannot be done to any of the rows; undefined as soon as it can be done to one: each row is answered for itself.
 * Of all that match (no rows are named) the server alone knows.
 */
export function bulkRefusal(verb: RowVerb, rows: readonly MappingView[], by: Reviewer): string | undefined {
  let first: string | undefined;
  for (const row of rows) {
    const why = rowRefusal(verb, row, by);
    if (why === undefined) return undefined;
    first ??= why;
  }
  return first;
}

export interface VerbWords {
  action: string;
  /** In the past tense, for toasts and outcomes. */
  done: string;
  /** What will be true afterwards. */
  consequence: string;
  reasonRequired?: boolean;
  destructive?: boolean;
}

export const VERB_WORDS: Record<MappingVerb, VerbWords> = {
  submit: {
    action: 'Submit',
    done: 'Submitted',
    consequence: 'An approver decides; until then nothing can be edited.',
  },
  recall: { action: 'Recall', done: 'Recalled', consequence: 'They leave the approvals and can be edited again.' },
  approve: { action: 'Approve', done: 'Approved', consequence: 'From now on these are the answers of translate.' },
  reject: {
    action: 'Reject',
    done: 'Rejected',
    consequence: 'They go back to their authors; what was approved before keeps serving.',
    reasonRequired: true,
    destructive: true,
  },
  revoke: {
    action: 'Revoke',
    done: 'Revoked',
    consequence: 'They stop serving at once.',
    reasonRequired: true,
    destructive: true,
  },
  discard: {
    action: 'Discard draft',
    done: 'Discarded',
    consequence: 'The approved value stands as before.',
    destructive: true,
  },
  delete: {
    action: 'Delete',
    done: 'Deleted',
    consequence: 'Drafts go at once; for what serves, an approver decides about the deletion.',
    destructive: true,
  },
  restore: { action: 'Restore', done: 'Restored', consequence: 'They come back as drafts.' },
};

/** What takes a command back; what serves is deleted by review, so its deletion is recalled. */
export function inverse(verb: MappingVerb, served: boolean): MappingVerb | undefined {
  if (verb === 'submit') return 'recall';
  if (verb === 'delete') return served ? 'recall' : 'restore';
  return undefined;
}

const number = new Intl.NumberFormat('en');
export const mappingsText = (count: number): string =>
  `${number.format(count)} ${count === 1 ? 'mapping' : 'mappings'}`;
