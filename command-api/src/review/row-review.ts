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
import { decideChunks, toChunks } from '../bulk/row-chunks.ts';
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
const CHANGED_SINCE: ReadonlySet<ReviewRefusal> = new Set(['STALE', 'NOT_PENDING', 'DELETED', 'LATER']);

/** The refusal of a row that is there; of one that moved it says by whom, and when. */
export function refusedWithChange(
  { id, revision, changedBy, changedAt }: ReviewedRow,
  code: ReviewRefusal,
): RowOutcome {
  const refused = refusedRow(id, code, revision);
  return CHANGED_SINCE.has(code) ? { ...refused, changedBy, changedAt } : refused;
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
export function selectReadyRows<Row extends ReviewedRow, Outcome extends RowOutcome>(
  rows: ReadonlyMap<number, Row>,
  verb: RowVerb,
  requested: readonly { id: number; revision: number }[],
  by: Reviewer,
  blocked: (row: Row) => Outcome | undefined,
): { ready: Row[]; outcomes: (Outcome | RowOutcome)[] } {
  const outcomes = new Map<number, Outcome | RowOutcome>();
  const ready: Row[] = [];
  for (const { id, revision } of requested) {
    if (outcomes.has(id)) continue;
    const row = rows.get(id);
    const why = rowRefusal(row, verb, revision, by);
    if (why || !row) {
      outcomes.set(id, row && why ? refusedWithChange(row, why) : refusedRow(id, 'NOT_FOUND'));
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
type EventPrefix<E extends RowsEvent> = E extends { type: `${infer What}Submitted` } ? What : never;

const EVENT_SUFFIX = {
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
  of: EventPrefix<E>,
  verb: RowVerb,
  rows: readonly ReviewedRow[],
  comment: string | undefined,
): E[] {
  const eventsFor = (what: string, eventRows: readonly ReviewedRow[]): E[] => {
    const commentData = NEEDS_REASON.has(verb) ? { comment: comment ?? '' } : comment === undefined ? {} : { comment };
    if (eventRows.length === 0) return [];
    // The rooms' events of a verb have one shape, under names that differ in what they begin with.
    const event: { type: string; data: object } = {
      type: `${of}${what}`,
      data: { ids: eventRows.map(({ id }) => id), ...commentData },
    };
    return [event as E];
  };
  if (verb !== 'delete') return eventsFor(EVENT_SUFFIX[verb], rows);
  // What serves is deleted by review, like any change; the rest at once.
  return [
    ...eventsFor(
      'DeletionRequested',
      rows.filter(({ served }) => served !== null),
    ),
    ...eventsFor(
      'Deleted',
      rows.filter(({ served }) => served === null),
    ),
  ];
}

/** Decides on rows bucket by bucket and answers them in the order in which they were asked about. */
export async function decideRows<Row extends { id: number }>(
  x: Pick<Execution, 'withPace'>,
  rows: readonly Row[],
  bucketOf: (row: Row) => number,
  decide: (bucket: number, rows: Row[]) => Promise<RowOutcome[]>,
  bytes?: (row: Row) => number,
): Promise<RowOutcome[]> {
  const results = await decideChunks(x, toChunks(rows, bucketOf, bytes), decide);
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
