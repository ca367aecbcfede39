/** Review of many rows, whatever they hold: each verb answered per row, the events of those it can be applied to. */
import {
  type MappingEvent,
  REVIEW_REFUSALS,
  Refusal,
  type RelationshipValueEvent,
  type Reviewer,
  type ReviewRefusal,
  type ReviewVerb,
  type RowOutcome,
  refusal,
  type Tracked,
} from '@rdm/contracts';
import { inChunks, perBucket } from '../bulk/row-chunks.ts';
import type { Execution } from '../runtime/execution.ts';

export type RowVerb = Exclude<ReviewVerb, 'edit'>;
export const ROW_VERBS: readonly RowVerb[] = ['submit', 'recall', 'approve', 'reject', 'revoke', 'discard', 'restore'];
/** How a job says what it does to its rows. */
export const VERB_WORDS: Readonly<Record<RowVerb, string>> = {
  submit: 'Submit',
  recall: 'Recall',
  approve: 'Approve',
  reject: 'Reject',
  revoke: 'Revoke',
  discard: 'Discard changes of',
  restore: 'Restore',
  delete: 'Delete',
};
export const NEEDS_REASON: ReadonlySet<string> = new Set(['reject', 'revoke']);

export const refusedRow = (id: number, code: ReviewRefusal, revision?: number): RowOutcome => ({
  id,
  outcome: 'refused',
  code,
  message: REVIEW_REFUSALS[code],
  ...(revision === undefined ? {} : { revision }),
});

/** A row as a reviewed bucket holds it. */
export type ReviewedRow = Tracked<unknown> & { id: number };

/** Refusals of a row that somebody moved since it was looked at. */
const MOVED: ReadonlySet<ReviewRefusal> = new Set(['STALE', 'NOT_PENDING', 'DELETED', 'LATER']);

/** The refusal of a row that is there; of one that moved it says by whom, and when. */
export function refusedAt({ id, revision, changedBy, changedAt }: ReviewedRow, code: ReviewRefusal): RowOutcome {
  const refused = refusedRow(id, code, revision);
  return MOVED.has(code) ? { ...refused, changedBy, changedAt } : refused;
}

export function rowRefusal(
  row: ReviewedRow | undefined,
  verb: ReviewVerb,
  seen: number,
  by: Reviewer,
): ReviewRefusal | null {
  if (!row) return 'NOT_FOUND';
  if (row.revision !== seen) return 'STALE';
  return refusal(verb, row, by);
}

/**
 * Which of the rows a verb can be applied to, and the answer for each; a row named twice counts once. `blocked` says why
 * the room refuses one that the lifecycle would let pass.
 */
export function readyRows<Row extends ReviewedRow, Outcome extends RowOutcome>(
  rows: ReadonlyMap<number, Row>,
  verb: RowVerb,
  asked: readonly { id: number; revision: number }[],
  by: Reviewer,
  blocked: (row: Row) => Outcome | undefined,
): { ready: Row[]; outcomes: (Outcome | RowOutcome)[] } {
  const outcomes = new Map<number, Outcome | RowOutcome>();
  const ready: Row[] = [];
  for (const { id, revision } of asked) {
    if (outcomes.has(id)) continue;
    const row = rows.get(id);
    const why = rowRefusal(row, verb, revision, by);
    if (why || !row) {
      outcomes.set(id, row && why ? refusedAt(row, why) : refusedRow(id, 'NOT_FOUND'));
      continue;
    }
    const block = blocked(row);
    if (!block) ready.push(row);
    outcomes.set(id, block ?? { id, outcome: 'done', revision: row.revision + 1 });
  }
  return { ready, outcomes: [...outcomes.values()] };
}

type RowsEvent = MappingEvent | RelationshipValueEvent;
/** What the events of a room's rows begin with. */
type Of<E extends RowsEvent> = E extends { type: `${infer What}Submitted` } ? What : never;

const HAPPENED = {
  submit: 'Submitted',
  recall: 'Recalled',
  approve: 'Approved',
  reject: 'Rejected',
  revoke: 'Revoked',
  discard: 'Discarded',
  restore: 'Restored',
} as const;

/** The events of a verb over rows that are ready for it; `of` is what their types begin with. */
export function reviewEvents<E extends RowsEvent>(
  of: Of<E>,
  verb: RowVerb,
  rows: readonly ReviewedRow[],
  comment: string | undefined,
): E[] {
  const happened = (what: string, some: readonly ReviewedRow[]): E[] => {
    const said = NEEDS_REASON.has(verb) ? { comment: comment ?? '' } : comment === undefined ? {} : { comment };
    if (some.length === 0) return [];
    // The rooms' events of a verb have one shape, under names that differ in what they begin with.
    const event: { type: string; data: object } = {
      type: `${of}${what}`,
      data: { ids: some.map(({ id }) => id), ...said },
    };
    return [event as E];
  };
  if (verb !== 'delete') return happened(HAPPENED[verb], rows);
  // What serves is deleted by review, like any change; the rest at once.
  return [
    ...happened(
      'DeletionRequested',
      rows.filter(({ served }) => served !== null),
    ),
    ...happened(
      'Deleted',
      rows.filter(({ served }) => served === null),
    ),
  ];
}

/** Decides on rows bucket by bucket and answers them in the order in which they were asked about. */
export async function decidedPerRow<Row extends { id: number }>(
  x: Pick<Execution, 'inPace'>,
  rows: readonly Row[],
  bucketOf: (row: Row) => number,
  decide: (bucket: number, rows: Row[]) => Promise<RowOutcome[]>,
  bytes?: (row: Row) => number,
): Promise<RowOutcome[]> {
  const results = await perBucket(x, inChunks(rows, bucketOf, bytes), decide);
  const asked = new Map(rows.map((row, index) => [row.id, index]));
  return results.sort((a, b) => (asked.get(a.id) ?? 0) - (asked.get(b.id) ?? 0));
}

/** A row's refusal as the answer to a request about that row alone. */
export function refusalOf({ code, message }: RowOutcome): Refusal {
  const words = message ?? 'Refused';
  if (code === 'LEVEL') return new Refusal('FORBIDDEN', words);
  if (code === 'INVALID') return new Refusal('INVALID', words);
  if (code === 'NOT_FOUND' || code === 'DELETED') return new Refusal('NOT_FOUND', words);
  if (code === 'STALE') return new Refusal('STALE', words);
  return new Refusal(code === 'FOUR_EYES' ? 'FOUR_EYES' : 'CONFLICT', words, { code });
}
