/** Reviews many rows of any kind: decides each row by the verb and returns its outcome and the events. */
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
/** The verbs with a route `POST …/{verb}`; the route of `delete` has the method DELETE. */
export const ROW_VERBS: readonly RowVerb[] = ['submit', 'recall', 'approve', 'reject', 'revoke', 'discard', 'restore'];
/** The verb in a job's description and log. */
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

/** A row in the state of a reviewed bucket. */
export type ReviewedRow = Tracked<unknown> & { id: number };

/** Refusals whose cause can be that the row was changed in the meantime. */
const CHANGED_SINCE: ReadonlySet<ReviewRefusal> = new Set(['STALE', 'NOT_PENDING', 'DELETED', 'LATER']);

/** Refuses an existing row; adds the user and the time of its last change if this change can be the cause. */
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
  expectedRevision: number,
  by: Reviewer,
): ReviewRefusal | null {
  if (!row) return 'NOT_FOUND';
  if (row.revision !== expectedRevision) return 'STALE';
  return refusal(verb, row, by);
}

/**
 * Returns the rows to which the verb applies, and the outcomes of all rows. A row that is listed twice counts once.
 * `blocked` returns a refusal that only this kind of rows has.
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
/** The prefix of the event types of a kind of rows. */
type EventPrefix<E extends RowsEvent> = E extends { type: `${infer Prefix}Submitted` } ? Prefix : never;

const EVENT_SUFFIX = {
  submit: 'Submitted',
  recall: 'Recalled',
  approve: 'Approved',
  reject: 'Rejected',
  revoke: 'Revoked',
  discard: 'Discarded',
  restore: 'Restored',
} as const;

/** Creates the events of a verb for ready rows. Their types begin with `prefix`. */
export function reviewEvents<E extends RowsEvent>(
  prefix: EventPrefix<E>,
  verb: RowVerb,
  rows: readonly ReviewedRow[],
  comment: string | undefined,
): E[] {
  const eventsFor = (suffix: string, eventRows: readonly ReviewedRow[]): E[] => {
    const commentData = NEEDS_REASON.has(verb) ? { comment: comment ?? '' } : comment === undefined ? {} : { comment };
    if (eventRows.length === 0) return [];
    // The events of a verb have the same shape for all kinds of rows; only the prefix of their type differs.
    const event: { type: string; data: object } = {
      type: `${prefix}${suffix}`,
      data: { ids: eventRows.map(({ id }) => id), ...commentData },
    };
    return [event as E];
  };
  if (verb !== 'delete') return eventsFor(EVENT_SUFFIX[verb], rows);
  // Deleting a served row needs a review; other rows are deleted at once.
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

/** Decides rows by bucket and returns the outcomes in the order of the request. */
export async function decideRows<Row extends { id: number }>(
  x: Pick<Execution, 'withPace'>,
  rows: readonly Row[],
  bucketOf: (row: Row) => number,
  decide: (bucket: number, rows: Row[]) => Promise<RowOutcome[]>,
  bytes?: (row: Row) => number,
): Promise<RowOutcome[]> {
  const results = await decideChunks(x, toChunks(rows, bucketOf, bytes), decide);
  const order = new Map(rows.map((row, index) => [row.id, index]));
  return results.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}

/** Converts a row's refusal to the error of a request about that row alone. */
export function refusalOf({ code, message }: RowOutcome): Refusal {
  const words = message ?? 'Refused';
  if (code === 'LEVEL') return new Refusal('FORBIDDEN', words);
  if (code === 'INVALID') return new Refusal('INVALID', words);
  if (code === 'NOT_FOUND' || code === 'DELETED') return new Refusal('NOT_FOUND', words);
  if (code === 'STALE') return new Refusal('STALE', words);
  return new Refusal(code === 'FOUR_EYES' ? 'FOUR_EYES' : 'CONFLICT', words, { code });
}
