/** Undo of an act on a reviewed row: the compensating fact, or why there is none (screens.md, Undo). */

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

/** An act of a command on a row. */
export type DoneFact = ReviewFact<never>['fact'] | 'drafted';

export const DONE_FACTS = [
  ...['drafted', 'edited', 'submitted', 'recalled', 'approved', 'rejected', 'revoked', 'discarded'],
  ...['deletionRequested', 'deleted', 'restored', 'undone'],
] as DoneFact[];

/** The verb of each fact: its undo needs the same level. */
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

/** The act of one command on one row. */
export interface Done<Value> {
  fact: DoneFact;
  /** The row before it; undefined for a row that it created. */
  before: Tracked<Value> | undefined;
  /** The row's revision after it. */
  revision: number;
  /** The user who acted. */
  by: number | null;
  /** Everyone who contributed to the previously approved value: their names are removed by an approval. */
  writers: readonly number[];
}

/** Facts that revert another fact as a whole. */
export type RevertingFact = Extract<PlainFact, 'deleted' | 'recalled' | 'restored'>;

export type Undoing<Value> = { refused: ReviewRefusal } | { fact: RevertingFact } | { to: RestorableState<Value> };

/** Facts that a lifecycle verb reverts as a whole; all others return the row to its previous state. */
const REVERTED_BY: Readonly<Partial<Record<DoneFact, RevertingFact>>> = {
  drafted: 'deleted',
  submitted: 'recalled',
  deletionRequested: 'recalled',
  deleted: 'restored',
  restored: 'deleted',
};

const DECIDED: ReadonlySet<DoneFact> = new Set(['approved', 'rejected']);

/** An author who may undo others' work would return to review what was decided against them. */
export const isOnlyForOthers = (fact: DoneFact, authors: readonly number[], userId: number): boolean =>
  DECIDED.has(fact) && authors.includes(userId);

/** The level that each verb needs: DEFINITION_LEVEL for definitions. */
export type VerbLevels = Readonly<Record<ReviewVerb, Level>>;

/** Why this reviewer may not undo the act, whatever the row's state is; null if they may. */
export function undoRefusal(
  { fact, by: doer }: Pick<Done<unknown>, 'fact' | 'by'>,
  by: Reviewer,
  levels: VerbLevels = VERB_LEVEL,
): ReviewRefusal | null {
  if (fact === 'undone') return 'UNDO';
  if (!hasLevel(by.level, levels[VERB_OF[fact]])) return 'LEVEL';
  return mayUndoOf(doer, by) ? null : 'NOT_DOER';
}

/** Only administrators undo what other users did. */
export const mayUndoOf = (doer: number | null, by: Reviewer): boolean =>
  doer === by.userId || hasLevel(by.level, 'ADMIN');

/** The fact that returns a row to its previous state. */
export function undoing<Value>(
  row: Tracked<Value>,
  done: Done<Value>,
  by: Reviewer,
  levels: VerbLevels = VERB_LEVEL,
): Undoing<Value> {
  const refused = undoRefusal(done, by, levels);
  if (refused) return { refused };
  if (row.revision !== done.revision) return { refused: 'LATER' };
  const fact = REVERTED_BY[done.fact];
  if (fact) return { fact };
  const { before } = done;
  if (!before) return { refused: 'NOT_FOUND' };
  if (isOnlyForOthers(done.fact, before.authors, by.userId)) return { refused: 'FOUR_EYES' };
  if (done.fact === 'revoked') return revokedBack(row, { ...done, before }, by);
  const { revision: _revision, changedBy: _by, changedAt: _at, ...to } = before;
  // Users who changed it since stay authors: an undo removes no user from those who may not review.
  const authors = before.approvalStatus === 'APPROVED' ? before.authors : united(before.authors, row.authors);
  return { to: { ...to, authors } };
}

/**
 * A revoked value is reviewed again and not served meanwhile; the user who undoes the revocation counts as its submitter. The
 * authors of the value approved then may not approve it now.
 */
function revokedBack<Value>(
  row: Tracked<Value>,
  { before, writers }: { before: Tracked<Value>; writers: readonly number[] },
  by: Reviewer,
): Undoing<Value> {
  if (before.approvalStatus !== 'APPROVED' && !before.deletionRequested) return { refused: 'SUPERSEDED' };
  const { revision: _revision, changedBy: _by, changedAt: _at, ...to } = before;
  return {
    to: {
      ...to,
      approvalStatus: 'PENDING',
      served: null,
      deletionRequested: false,
      submittedBy: by.userId,
      authors: united(united(writers, before.authors), united(row.authors, [by.userId])),
    },
  };
}

const united = (some: readonly number[], more: readonly number[]): number[] => [...new Set([...some, ...more])];
