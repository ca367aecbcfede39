/** Rules of mappings: when a source → target pair may be drafted, edited, reviewed and undone. */
import {
  MAPPING_FACTS,
  type Mapping,
  type MappingBucket,
  type MappingEvent,
  type MappingValue,
  mappingKey,
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
import { planUndo, typesByFact, undoEvents } from '../review/row-undo.ts';
import type { ChangedRow, UndoDetails } from '../review/undo.ts';
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

/** The text that identifies a mapping for users: its pair. */
export const mappingText = (sourceValue: string, targetValue: string): string => `${sourceValue} → ${targetValue}`;

export function mappingTextIn({ rows }: MappingBucket, id: number): string | undefined {
  const row = rows.get(id);
  return row && mappingText(row.sourceValue, row.value.targetValue);
}

/** The working and served pairs of all rows that are not deleted, each with the id of its row. */
export function pairHolders(bucket: MappingBucket): Map<string, number> {
  const holders = new Map<string, number>();
  for (const row of bucket.rows.values()) {
    if (row.deleted) continue;
    holders.set(pairOf(row, row.value.targetValue), row.id);
    if (row.served) holders.set(pairOf(row, row.served.targetValue), row.id);
  }
  return holders;
}

/** Returns a refusal if the pair is a suggestion that was dismissed in the meantime. */
function dismissalRefusal(bucket: MappingBucket, { index, origin, ...pair }: NewPair): RowOutcome | undefined {
  const id = origin === 'SUGGESTION' ? bucket.dismissalIdByPair.get(pairKey(pair)) : undefined;
  const dismissed = id === undefined ? undefined : bucket.dismissedPairById.get(id);
  return dismissed && { ...refusedRow(index, 'DISMISSED'), changedBy: dismissed.by, changedAt: dismissed.at };
}

/**
 * Drafts pairs, with an outcome for each. Refuses existing pairs, repeats of a pair within the request, and suggestions
 * that were dismissed.
 */
export function draftMappings(bucket: MappingBucket, pairs: readonly NewPair[]): RowsDecision<MappingEvent> {
  const holders = pairHolders(bucket);
  const outcomes: RowOutcome[] = [];
  const rows: Extract<MappingEvent, { type: 'MappingsDrafted' }>['data']['rows'] = [];
  for (const newPair of pairs) {
    const { index, sequence, ...pair } = newPair;
    const key = pairKey(pair);
    const refused = holders.has(key) ? refusedRow(index, 'DUPLICATE') : dismissalRefusal(bucket, newPair);
    if (refused) {
      outcomes.push({ ...refused, index });
      continue;
    }
    const id = rowId(sequence, mappingKey(pair.sourceValue));
    holders.set(key, id);
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

/** Edits pairs, with an outcome for each edit. Refuses existing pairs and a second change of a row. */
export function editMappings(
  bucket: MappingBucket,
  edits: readonly PairEdit[],
  by: Reviewer,
): RowsDecision<MappingEvent> {
  const holders = pairHolders(bucket);
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
    const holder = holders.get(pairOf(row, targetValue));
    if (holder !== undefined && holder !== id) {
      outcomes.push(refusedRow(id, 'DUPLICATE', row.revision));
    } else if (row.value.targetValue === targetValue && row.value.confidence === confidence) {
      outcomes.push({ id, outcome: 'done', revision: row.revision });
    } else {
      holders.set(pairOf(row, targetValue), id);
      rows.push({ id, targetValue, confidence });
      edited.add(id);
      outcomes.push({ id, outcome: 'done', revision: row.revision + 1 });
    }
  }
  return { events: rows.length === 0 ? [] : [{ type: 'MappingsEdited', data: { rows } }], result: outcomes };
}

/**
 * Applies a review verb to rows, with an outcome for each row. Refuses mappings to `deletedTargets`, and the
 * restoration of a pair that another mapping has.
 */
export function reviewMappings(
  bucket: MappingBucket,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  by: Reviewer,
  comment: string | undefined,
  deletedTargets?: ReadonlySet<string>,
): RowsDecision<MappingEvent> {
  const holders = verb === 'restore' ? pairHolders(bucket) : undefined;
  const { ready, outcomes } = selectReadyRows(bucket.rows, verb, rows, by, (row) => {
    const { targetValue } = row.value;
    if (deletedTargets?.has(targetValue)) {
      const message = `The row “${targetValue}” was deleted: map to another target, or restore the row`;
      return { id: row.id, outcome: 'refused', code: 'INVALID', message, revision: row.revision };
    }
    const pair = pairOf(row, targetValue);
    if (holders?.has(pair)) return refusedRow(row.id, 'DUPLICATE', row.revision);
    holders?.set(pair, row.id);
    return undefined;
  });
  return { events: reviewEvents<MappingEvent>('Mappings', verb, ready, comment), result: outcomes };
}

const TYPE_OF = typesByFact(MAPPING_FACTS);

/** Undoes what a command changed in these rows, with an outcome for each row. */
export function undoMappings(
  bucket: MappingBucket,
  changes: readonly ChangedRow<MappingValue>[],
  by: Reviewer,
  details: UndoDetails,
): RowsDecision<MappingEvent> {
  const holders = pairHolders(bucket);
  const plan = planUndo<MappingValue, Mapping, RowOutcome>(bucket.rows, changes, by, (row, previousValues) => {
    const pairs = previousValues.map(({ targetValue }) => pairOf(row, targetValue));
    if (pairs.some((pair) => (holders.get(pair) ?? row.id) !== row.id)) return refusedWithChange(row, 'DUPLICATE');
    for (const pair of pairs) holders.set(pair, row.id);
    return undefined;
  });
  return { events: undoEvents<MappingEvent>(plan, TYPE_OF, 'MappingsUndone', details), result: plan.outcomes };
}
