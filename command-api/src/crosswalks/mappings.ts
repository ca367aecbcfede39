/** Crosswalk mapping values: what may happen to a source → target pair, and when. */
import {
  MAPPING_FACTS,
  type Mapping,
  type MappingBucket,
  type MappingEvent,
  type MappingValue,
  mappingKey,
  type PlainFact,
  pairKey,
  type Reviewer,
  type RowOutcome,
  rowId,
} from '@rdm/contracts';
import {
  type RowVerb,
  refusedRow,
  refusedWithChange,
  reviewEvents,
  rowRefusal,
  selectReadyRows,
} from '../review/row-review.ts';
import { planUndo } from '../review/row-undo.ts';
import type { ChangedRow } from '../review/undo.ts';
import type { RowsDecision } from '../runtime/decision.ts';

export interface NewPair {
  index: number;
  sequence: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  origin: 'MANUAL' | 'SUGGESTION' | 'IMPORT';
}

export const pairOf = ({ sourceValue }: { sourceValue: string }, targetValue: string) =>
  pairKey({ sourceValue, targetValue });

/** What people call a mapping. */
export const mappingCalled = (sourceValue: string, targetValue: string): string => `${sourceValue} → ${targetValue}`;

export function mappingKeyIn({ rows }: MappingBucket, id: number): string | undefined {
  const row = rows.get(id);
  return row && mappingCalled(row.sourceValue, row.value.targetValue);
}

/** Pairs that are taken: the working and the served value of every row that is not deleted. */
export function takenPairs(bucket: MappingBucket): Map<string, number> {
  const taken = new Map<string, number>();
  for (const row of bucket.rows.values()) {
    if (row.deleted) continue;
    taken.set(pairOf(row, row.value.targetValue), row.id);
    if (row.served) taken.set(pairOf(row, row.served.targetValue), row.id);
  }
  return taken;
}

/** What is offered and was dismissed meanwhile; by hand, or by a file, it may be mapped all the same. */
function dismissal(bucket: MappingBucket, { index, origin, ...pair }: NewPair): RowOutcome | undefined {
  const id = origin === 'SUGGESTION' ? bucket.dismissals.get(pairKey(pair)) : undefined;
  const dismissed = id === undefined ? undefined : bucket.dismissed.get(id);
  return dismissed && { ...refusedRow(index, 'DISMISSED'), changedBy: dismissed.by, changedAt: dismissed.at };
}

/** Drafts pairs that do not exist yet; of two equal ones in a request the first wins. */
export function draftMappings(bucket: MappingBucket, pairs: readonly NewPair[]): RowsDecision<MappingEvent> {
  const taken = takenPairs(bucket);
  const outcomes: RowOutcome[] = [];
  const rows: Extract<MappingEvent, { type: 'MappingsDrafted' }>['data']['rows'] = [];
  for (const asked of pairs) {
    const { index, sequence, ...pair } = asked;
    const key = pairKey(pair);
    const refused = taken.has(key) ? refusedRow(index, 'DUPLICATE') : dismissal(bucket, asked);
    if (refused) {
      outcomes.push({ ...refused, index });
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
      outcomes.push(row && why ? refusedWithChange(row, why) : refusedRow(id, 'NOT_FOUND'));
      continue;
    }
    const holder = taken.get(pairOf(row, targetValue));
    if (holder !== undefined && holder !== id) {
      outcomes.push(refusedRow(id, 'DUPLICATE', row.revision));
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

/** One review verb over many rows, each answered for itself; a row named twice counts once. None is submitted that leads to a target that is `gone`. */
export function reviewMappings(
  bucket: MappingBucket,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  by: Reviewer,
  comment: string | undefined,
  gone?: ReadonlySet<string>,
): RowsDecision<MappingEvent> {
  const taken = verb === 'restore' ? takenPairs(bucket) : undefined;
  const { ready, outcomes } = selectReadyRows(bucket.rows, verb, rows, by, (row) => {
    const { targetValue } = row.value;
    if (gone?.has(targetValue)) {
      const message = `The row “${targetValue}” was deleted: map to another target, or bring the row back`;
      return { id: row.id, outcome: 'refused', code: 'INVALID', message, revision: row.revision };
    }
    const pair = pairOf(row, targetValue);
    if (taken?.has(pair)) return refusedRow(row.id, 'DUPLICATE', row.revision);
    taken?.set(pair, row.id);
    return undefined;
  });
  return { events: reviewEvents<MappingEvent>('Mappings', verb, ready, comment), result: outcomes };
}

const TYPE_OF = Object.fromEntries(Object.entries(MAPPING_FACTS).map(([type, fact]) => [fact, type])) as Record<
  PlainFact,
  keyof typeof MAPPING_FACTS
>;

/** Takes back what a command did to rows, each answered for itself. */
export function undoMappings(
  bucket: MappingBucket,
  done: readonly ChangedRow<MappingValue>[],
  by: Reviewer,
  { undoes, comment }: { undoes: string; comment: string | undefined },
): RowsDecision<MappingEvent> {
  const taken = takenPairs(bucket);
  const { facts, returned, outcomes } = planUndo<MappingValue, Mapping, RowOutcome>(
    bucket.rows,
    done,
    by,
    (row, held) => {
      const pairs = held.map(({ targetValue }) => pairOf(row, targetValue));
      if (pairs.some((pair) => (taken.get(pair) ?? row.id) !== row.id)) return refusedWithChange(row, 'DUPLICATE');
      for (const pair of pairs) taken.set(pair, row.id);
      return undefined;
    },
  );
  const said = comment === undefined ? {} : { comment };
  const events = [...facts].map(([fact, ids]) => ({ type: TYPE_OF[fact], data: { ids, ...said } }) as MappingEvent);
  if (returned.length > 0) {
    const rows = returned.map(({ id, to }) => ({ id, to: { ...to, authors: [...to.authors] } }));
    events.push({ type: 'MappingsUndone', data: { undoes, rows, ...said } });
  }
  return { events, result: outcomes };
}
