/** Crosswalk mapping values: what may happen to a source → target pair, and when. */
import {
  type Mapping,
  type MappingBucket,
  type MappingEvent,
  mappingKey,
  REVIEW_REFUSALS,
  type Reviewer,
  type ReviewRefusal,
  type ReviewVerb,
  type RowOutcome,
  refusal,
  rowId,
} from '@rdm/contracts';
import type { RowsDecision } from '../decision.ts';

export interface NewPair {
  index: number;
  sequence: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  origin: 'MANUAL' | 'SUGGESTION' | 'IMPORT';
}

const pairOf = (row: { sourceValue: string }, targetValue: string) => JSON.stringify([row.sourceValue, targetValue]);

/** Pairs that are taken: the working and the served value of every row that is not deleted. */
function takenPairs(bucket: MappingBucket): Map<string, number> {
  const taken = new Map<string, number>();
  for (const row of bucket.rows.values()) {
    if (row.deleted) continue;
    taken.set(pairOf(row, row.value.targetValue), row.id);
    if (row.served) taken.set(pairOf(row, row.served.targetValue), row.id);
  }
  return taken;
}

const refused = (id: number, code: ReviewRefusal, revision?: number): RowOutcome => ({
  id,
  outcome: 'refused',
  code,
  message: REVIEW_REFUSALS[code],
  ...(revision === undefined ? {} : { revision }),
});

/** Drafts pairs that do not exist yet; of two equal ones in a request the first wins. */
export function draftMappings(bucket: MappingBucket, pairs: readonly NewPair[]): RowsDecision<MappingEvent> {
  const taken = takenPairs(bucket);
  const outcomes: RowOutcome[] = [];
  const rows: Extract<MappingEvent, { type: 'MappingsDrafted' }>['data']['rows'] = [];
  for (const { index, sequence, ...pair } of pairs) {
    const key = pairOf(pair, pair.targetValue);
    if (taken.has(key)) {
      outcomes.push({ ...refused(index, 'DUPLICATE'), index });
      continue;
    }
    const id = rowId(sequence, mappingKey(pair.sourceValue));
    taken.set(key, id);
    rows.push({ id, ...pair });
    outcomes.push({ id, index, outcome: 'done', revision: 1 });
  }
  return { events: rows.length === 0 ? [] : [{ type: 'MappingsDrafted', data: { rows } }], result: outcomes };
}

export interface PairEdit {
  id: number;
  revision: number;
  targetValue: string;
  confidence: number;
}

/** Edits targets, each row once; the approved value of a row keeps serving until the edit is approved. */
export function editMappings(
  bucket: MappingBucket,
  edits: readonly PairEdit[],
  by: Reviewer,
): RowsDecision<MappingEvent> {
  const taken = takenPairs(bucket);
  const outcomes: RowOutcome[] = [];
  const rows: { id: number; targetValue: string; confidence: number }[] = [];
  const edited = new Set<number>();
  for (const { id, revision, targetValue, confidence } of edits) {
    const row = bucket.rows.get(id);
    const why = edited.has(id) ? 'STALE' : rowRefusal(row, 'edit', revision, by);
    if (why || !row) {
      outcomes.push(refused(id, why ?? 'NOT_FOUND', row?.revision));
      continue;
    }
    const holder = taken.get(pairOf(row, targetValue));
    if (holder !== undefined && holder !== id) {
      outcomes.push(refused(id, 'DUPLICATE', row.revision));
    } else if (row.value.targetValue === targetValue && row.value.confidence === confidence) {
      outcomes.push({ id, outcome: 'done', revision: row.revision });
    } else {
      taken.set(pairOf(row, targetValue), id);
      rows.push({ id, targetValue, confidence });
      edited.add(id);
      outcomes.push({ id, outcome: 'done', revision: row.revision + 1 });
    }
  }
  return { events: rows.length === 0 ? [] : [{ type: 'MappingsEdited', data: { rows } }], result: outcomes };
}

export type MappingVerb = Exclude<ReviewVerb, 'edit'>;

/** One review verb over many rows, each answered for itself; a row named twice counts once. */
export function reviewMappings(
  bucket: MappingBucket,
  verb: MappingVerb,
  rows: readonly { id: number; revision: number }[],
  by: Reviewer,
  comment: string | undefined,
): RowsDecision<MappingEvent> {
  const taken = verb === 'restore' ? takenPairs(bucket) : undefined;
  const outcomes = new Map<number, RowOutcome>();
  const ready: Mapping[] = [];
  for (const { id, revision } of rows) {
    if (outcomes.has(id)) continue;
    const row = bucket.rows.get(id);
    const why = rowRefusal(row, verb, revision, by);
    const pair = row && pairOf(row, row.value.targetValue);
    if (why || !row || pair === undefined) {
      outcomes.set(id, refused(id, why ?? 'NOT_FOUND', row?.revision));
    } else if (taken?.has(pair)) {
      outcomes.set(id, refused(id, 'DUPLICATE', row.revision));
    } else {
      taken?.set(pair, id);
      ready.push(row);
      outcomes.set(id, { id, outcome: 'done', revision: row.revision + 1 });
    }
  }
  return { events: reviewEvents(verb, ready, comment), result: [...outcomes.values()] };
}

function rowRefusal(row: Mapping | undefined, verb: ReviewVerb, seen: number, by: Reviewer): ReviewRefusal | null {
  if (!row) return 'NOT_FOUND';
  if (row.revision !== seen) return 'STALE';
  return refusal(verb, row, by);
}

const EVENT_OF = {
  submit: 'MappingsSubmitted',
  recall: 'MappingsRecalled',
  approve: 'MappingsApproved',
  discard: 'MappingsDiscarded',
  restore: 'MappingsRestored',
} as const;

function reviewEvents(verb: MappingVerb, rows: readonly Mapping[], comment: string | undefined): MappingEvent[] {
  if (rows.length === 0) return [];
  const said = comment === undefined ? {} : { comment };
  const ids = rows.map((row) => row.id);
  if (verb === 'reject') return [{ type: 'MappingsRejected', data: { ids, comment: comment ?? '' } }];
  if (verb === 'revoke') return [{ type: 'MappingsRevoked', data: { ids, comment: comment ?? '' } }];
  if (verb !== 'delete') return [{ type: EVENT_OF[verb], data: { ids, ...said } }];
  // What serves is deleted by review, like any change; the rest at once.
  const served = rows.filter((row) => row.served !== null).map((row) => row.id);
  const unserved = rows.filter((row) => row.served === null).map((row) => row.id);
  const events: MappingEvent[] = [];
  if (served.length > 0) events.push({ type: 'MappingsDeletionRequested', data: { ids: served, ...said } });
  if (unserved.length > 0) events.push({ type: 'MappingsDeleted', data: { ids: unserved, ...said } });
  return events;
}
