/**
 * The rules for undoing a change of a reviewed row: the fact or the state that undoes it, or why it cannot be undone
 * (decision 29).
 */

import { hasLevel, type Level } from '../access/permissions.ts';
import {
  type PlainFact,
  type RestorableState,
  type Reviewer,
  type ReviewFact,
  type ReviewRefusal,
  type ReviewVerb,
  type Tracked,
  VERB_LEVEL,
} from './approval.ts';

/** A fact that a command has recorded for a row. */
export type DoneFact = ReviewFact<never>['fact'] | 'drafted';

export const DONE_FACTS = [
  ...['drafted', 'edited', 'submitted', 'recalled', 'approved', 'rejected', 'revoked', 'discarded'],
  ...['deletionRequested', 'deleted', 'restored', 'undone'],
] as DoneFact[];

/** The verb of each fact. The undo of the fact needs the same level as the verb. */
const VERB_OF: Readonly<Record<Exclude<DoneFact, 'undone'>, ReviewVerb>> = {
  drafted: 'edit',
  edited: 'edit',
  submitted: 'submit',
  recalled: 'recall',
  approved: 'approve',
  rejected: 'reject',
  revoked: 'revoke',
  discarded: 'discard',
  deletionRequested: 'delete',
  deleted: 'delete',
  restored: 'restore',
};

/** The change of one row by one command. */
export interface Done<Value> {
  fact: DoneFact;
  /** The row before the change; undefined if the command created the row. */
  before: Tracked<Value> | undefined;
  /** The revision of the row after the change. */
  revision: number;
  /** The user who acted. */
  by: number | null;
  /** The authors of every value of the row that was ever approved. An approval removes the authors from the row. */
  approvedAuthors: readonly number[];
}

/** Facts that completely revert another fact. */
export type RevertingFact = Extract<PlainFact, 'deleted' | 'recalled' | 'restored'>;

export type Undoing<Value> = { refused: ReviewRefusal } | { fact: RevertingFact } | { to: RestorableState<Value> };

/**
 * The fact that completely reverts a fact. Without such a fact, the undo restores the previous state of the row, except
 * for `revoked`: see `undoRevocation`.
 */
const REVERTED_BY: Readonly<Partial<Record<DoneFact, RevertingFact>>> = {
  drafted: 'deleted',
  submitted: 'recalled',
  deletionRequested: 'recalled',
  deleted: 'restored',
  restored: 'deleted',
};

const DECIDED: ReadonlySet<DoneFact> = new Set(['approved', 'rejected']);

/** Whether the user must not undo the fact, because authors must not undo decisions about their own work. */
export const isOnlyForOthers = (fact: DoneFact, authors: readonly number[], userId: number): boolean =>
  DECIDED.has(fact) && authors.includes(userId);

/** The level that each verb needs: VERB_LEVEL for mappings and values, DEFINITION_LEVEL for definitions. */
export type VerbLevels = Readonly<Record<ReviewVerb, Level>>;

/** Returns why the reviewer may not undo the change, without a check of the row's state; null if there is no reason. */
export function undoRefusal(
  { fact, by: doer }: Pick<Done<unknown>, 'fact' | 'by'>,
  reviewer: Reviewer,
  levels: VerbLevels = VERB_LEVEL,
): ReviewRefusal | null {
  if (fact === 'undone') return 'UNDO';
  if (!hasLevel(reviewer.level, levels[VERB_OF[fact]])) return 'LEVEL';
  return mayUndoOf(doer, reviewer) ? null : 'NOT_DOER';
}

/** Whether the reviewer may undo a change by this user. Changes of other users need ADMIN. */
export const mayUndoOf = (doer: number | null, reviewer: Reviewer): boolean =>
  doer === reviewer.userId || hasLevel(reviewer.level, 'ADMIN');

/** Returns the fact or the state that undoes a change, or why the undo is refused. */
export function undoing<Value>(
  row: Tracked<Value>,
  done: Done<Value>,
  reviewer: Reviewer,
  levels: VerbLevels = VERB_LEVEL,
): Undoing<Value> {
  const refused = undoRefusal(done, reviewer, levels);
  if (refused) return { refused };
  if (row.revision !== done.revision) return { refused: 'LATER' };
  const fact = REVERTED_BY[done.fact];
  if (fact) return { fact };
  const { before } = done;
  if (!before) return { refused: 'NOT_FOUND' };
  if (isOnlyForOthers(done.fact, before.authors, reviewer.userId)) return { refused: 'FOUR_EYES' };
  if (done.fact === 'revoked') return undoRevocation(row, { ...done, before }, reviewer);
  const { revision: _revision, changedBy: _by, changedAt: _at, ...to } = before;
  // An author must not review the row after an undo, so all authors stay authors. An approved row needs no review.
  const authors = before.approvalStatus === 'APPROVED' ? before.authors : unionOf(before.authors, row.authors);
  return { to: { ...to, authors } };
}

/**
 * Returns the state after the undo of a revocation. The value is reviewed again and is not served meanwhile. The user
 * who undoes the revocation becomes the submitter of the value. The authors of the value may not approve it. Refuses
 * the undo if the row had a newer value that was not approved.
 */
function undoRevocation<Value>(
  row: Tracked<Value>,
  { before, approvedAuthors }: { before: Tracked<Value>; approvedAuthors: readonly number[] },
  reviewer: Reviewer,
): Undoing<Value> {
  if (before.approvalStatus !== 'APPROVED' && !before.deletionRequested) return { refused: 'SUPERSEDED' };
  const { revision: _revision, changedBy: _by, changedAt: _at, ...to } = before;
  return {
    to: {
      ...to,
      approvalStatus: 'PENDING',
      served: null,
      deletionRequested: false,
      submittedBy: reviewer.userId,
      authors: unionOf(unionOf(approvedAuthors, before.authors), unionOf(row.authors, [reviewer.userId])),
    },
  };
}

const unionOf = (a: readonly number[], b: readonly number[]): number[] => [...new Set([...a, ...b])];
