/** Undo of what was done to a reviewed row: which compensating fact it takes, or why there is none (screens.md, Undo). */

import { hasLevel, type Level } from '../access/permissions.ts';
import {
  type PlainFact,
  type Reviewer,
  type ReviewFact,
  type ReviewRefusal,
  type ReviewVerb,
  type Standing,
  type Tracked,
  VERB_LEVEL,
} from './approval.ts';

/** What a command may have done to a row. */
export type DoneFact = ReviewFact<never>['fact'] | 'drafted';

/** The verb behind each fact: whoever undoes it needs its level. */
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

/** What one command did to one row. */
export interface Done<Value> {
  fact: DoneFact;
  /** The row before it; undefined for one that it made. */
  before: Tracked<Value> | undefined;
  /** The revision that it left the row at. */
  revision: number;
  /** Who did it. */
  by: number | null;
  /** Everybody who had a hand in what of the row was approved before: with an approval their names leave it. */
  writers: readonly number[];
}

/** Facts that take another one back as it is. */
export type TakenBack = Extract<PlainFact, 'deleted' | 'recalled' | 'restored'>;

export type Undoing<Value> = { refused: ReviewRefusal } | { fact: TakenBack } | { to: Standing<Value> };

/** Facts that a lifecycle verb takes back as it is; all others return the row to what it was. */
const TAKEN_BACK_BY: Readonly<Partial<Record<DoneFact, TakenBack>>> = {
  drafted: 'deleted',
  submitted: 'recalled',
  deletionRequested: 'recalled',
  deleted: 'restored',
  restored: 'deleted',
};

const DECIDED: ReadonlySet<DoneFact> = new Set(['approved', 'rejected']);

/** An author who may undo others' work would put back under review what was decided against them. */
export const isOnlyForOthers = (fact: DoneFact, authors: readonly number[], userId: number): boolean =>
  DECIDED.has(fact) && authors.includes(userId);

/** The level that each verb needs: of definitions HEADER_LEVEL. */
export type VerbLevels = Readonly<Record<ReviewVerb, Level>>;

/** Why this reviewer may not undo what was done, whatever became of the row; null when they may. */
export function undoRefusal(
  { fact, by: doer }: Pick<Done<unknown>, 'fact' | 'by'>,
  by: Reviewer,
  levels: VerbLevels = VERB_LEVEL,
): ReviewRefusal | null {
  if (fact === 'undone') return 'UNDO';
  if (!hasLevel(by.level, levels[VERB_OF[fact]])) return 'LEVEL';
  return mayUndoOf(doer, by) ? null : 'NOT_DOER';
}

/** What others did is undone by administrators alone. */
export const mayUndoOf = (doer: number | null, by: Reviewer): boolean =>
  doer === by.userId || hasLevel(by.level, 'ADMIN');

/** How a row comes back to what it was before. */
export function undoing<Value>(
  row: Tracked<Value>,
  done: Done<Value>,
  by: Reviewer,
  levels: VerbLevels = VERB_LEVEL,
): Undoing<Value> {
  const refused = undoRefusal(done, by, levels);
  if (refused) return { refused };
  if (row.revision !== done.revision) return { refused: 'LATER' };
  const fact = TAKEN_BACK_BY[done.fact];
  if (fact) return { fact };
  const { before } = done;
  if (!before) return { refused: 'NOT_FOUND' };
  if (isOnlyForOthers(done.fact, before.authors, by.userId)) return { refused: 'FOUR_EYES' };
  if (done.fact === 'revoked') return revokedBack(row, { ...done, before }, by);
  const { revision: _revision, changedBy: _by, changedAt: _at, ...to } = before;
  // Whoever wrote it since has not unwritten it: an undo takes nobody off the list of those who may not review.
  const authors = before.approvalStatus === 'APPROVED' ? before.authors : united(before.authors, row.authors);
  return { to: { ...to, authors } };
}

/**
 * What was revoked is reviewed again, without serving meanwhile; whoever asks for that has submitted it. Those who wrote
 * what was approved then do not approve it now.
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
