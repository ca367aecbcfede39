/** Rules of relationship values: which values may be drafted, edited and reviewed, and which pairs conflict. */
import {
  type Cardinality,
  type CellValue,
  emptyRelationshipValueBucket,
  fixedEnd,
  heldPairs,
  ONE_TO_ONE_VALUES_MAX,
  type Pair,
  type RelationshipValue,
  type RelationshipValueBucket,
  type RelationshipValueContent,
  type RelationshipValueEvent,
  type Reviewer,
  type RowOutcome,
  relationshipValueKey,
  rowId,
  sourceIsUnique,
  targetIsUnique,
} from '@rdm/contracts';
import {
  type RowVerb,
  refusedRow,
  refusedWithChange,
  reviewEvents,
  rowRefusal,
  selectReadyRows,
} from '../review/row-review.ts';
import type { Decision } from '../runtime/decision.ts';

/** The rules of a relationship for its values. */
export interface ValueRules {
  cardinality: Cardinality;
  /** Whether source and target are one data set whose rows must not be related to themselves. */
  refusesSelf: boolean;
  required: readonly { attributeId: number; name: string }[];
}

/** The outcome of a row. `conflict` has the two pairs of a cardinality conflict, for a message with their keys. */
export type ValueOutcome = RowOutcome & { conflict?: { requested: Pair; held: Pair } };
type ValuesDecision = Decision<RelationshipValueEvent, ValueOutcome[]>;

const NONE: ReadonlySet<number> = new Set();

export const pairOf = ({ sourceInstanceId, targetInstanceId }: Pair): Pair => ({ sourceInstanceId, targetInstanceId });

const refusedFor = (id: number, code: string, message: string, revision?: number): ValueOutcome => ({
  id,
  outcome: 'refused',
  code,
  message,
  ...(revision === undefined ? {} : { revision }),
});

/** Finds the conflicts of a pair with the bucket and with earlier changes of the same decision. */
export class PairIndex {
  readonly #bucket: RelationshipValueBucket;
  readonly #rules: ValueRules;
  /** The pairs of rows that this decision created or changed; the next two maps have the ids of these rows by end. */
  readonly #changed = new Map<number, Pair[]>();
  readonly #changedBySource = new Map<number, Set<number>>();
  readonly #changedByTarget = new Map<number, Set<number>>();

  constructor(bucket: RelationshipValueBucket, rules: ValueRules) {
    this.#bucket = bucket;
    this.#rules = rules;
  }

  /** Returns why a row may not hold the pair; otherwise undefined. `self` is the row's id, undefined for a new row. */
  refusal(pair: Pair, self: number | undefined, outcomeId = self ?? 0): ValueOutcome | undefined {
    const { cardinality, refusesSelf } = this.#rules;
    if (refusesSelf && pair.sourceInstanceId === pair.targetInstanceId) {
      return refusedFor(
        outcomeId,
        'SELF',
        'This relationship does not allow a row to be related to itself: choose another row',
      );
    }
    for (const existing of this.#conflictCandidates(pair, self)) {
      const sameSource = existing.sourceInstanceId === pair.sourceInstanceId;
      const sameTarget = existing.targetInstanceId === pair.targetInstanceId;
      if (sameSource && sameTarget) return refusedRow(outcomeId, 'DUPLICATE');
      if ((sameSource && sourceIsUnique(cardinality)) || (sameTarget && targetIsUnique(cardinality))) {
        const message = `Cardinality violation: this breaks the ${cardinalityWords(cardinality)} rule`;
        return {
          ...refusedFor(outcomeId, 'CARDINALITY', message),
          conflict: { requested: pair, held: pairOf(existing) },
        };
      }
    }
    return undefined;
  }

  /** Replaces the pairs of a row. */
  set(id: number, pairs: readonly Pair[]): void {
    for (const before of this.#changed.get(id) ?? []) {
      this.#changedBySource.get(before.sourceInstanceId)?.delete(id);
      this.#changedByTarget.get(before.targetInstanceId)?.delete(id);
    }
    this.#changed.set(id, pairs.map(pairOf));
    for (const { sourceInstanceId, targetInstanceId } of pairs) {
      addTo(this.#changedBySource, sourceInstanceId, id);
      addTo(this.#changedByTarget, targetInstanceId, id);
    }
  }

  /** The pairs of other rows that may conflict with this pair. */
  *#conflictCandidates(pair: Pair, self: number | undefined): Generator<Pair> {
    const { bySource, byTarget, rows } = this.#bucket;
    for (const id of this.#sharing(pair, bySource, byTarget)) {
      const row = rows.get(id);
      if (id !== self && row && !this.#changed.has(id)) yield* heldPairs(row);
    }
    for (const id of this.#sharing(pair, this.#changedBySource, this.#changedByTarget)) {
      if (id !== self) yield* this.#changed.get(id) ?? [];
    }
  }

  /** Returns the ids of rows that share a unique end with the pair or, if no end is unique, one of its ends. */
  #sharing(pair: Pair, bySource: RowsByEnd, byTarget: RowsByEnd): ReadonlySet<number> {
    const sameSource = bySource.get(pair.sourceInstanceId) ?? NONE;
    const sameTarget = byTarget.get(pair.targetInstanceId) ?? NONE;
    switch (this.#rules.cardinality) {
      case 'ONE_TO_ONE':
        return new Set([...sameSource, ...sameTarget]);
      case 'MANY_TO_ONE':
        return sameSource;
      case 'ONE_TO_MANY':
        return sameTarget;
      case 'MANY_TO_MANY':
        // Rows with the same pair are in both sets.
        return sameSource.size < sameTarget.size ? sameSource : sameTarget;
    }
  }
}

type RowsByEnd = ReadonlyMap<number, ReadonlySet<number>>;

function addTo(rows: Map<number, Set<number>>, end: number, id: number): void {
  const ofEnd = rows.get(end);
  if (ofEnd) ofEnd.add(id);
  else rows.set(end, new Set([id]));
}

export const cardinalityWords = (cardinality: Cardinality): string => cardinality.toLowerCase().replaceAll('_', '-');

export function missingAttributeMessage(
  { required }: ValueRules,
  attributes: RelationshipValueContent['attributes'],
): string | undefined {
  const missing = required.find(({ attributeId }) => (attributes[attributeId] ?? null) === null);
  return missing && `The attribute "${missing.name}" is required`;
}

export const withoutNulls = (attributes: Readonly<Record<string, CellValue>>): RelationshipValueContent['attributes'] =>
  Object.fromEntries(Object.entries(attributes).filter(([, cell]) => cell !== null));

export interface NewValue extends Pair {
  /** Index in the request, for the answer. */
  index: number;
  sequence: number;
  attributes: Readonly<Record<string, CellValue>>;
}

/** Whether a one-to-one relationship is full. The number of its values is limited, because all are in one bucket. */
export const isFull = ({ rows }: RelationshipValueBucket, added: number, { cardinality }: ValueRules): boolean =>
  cardinality === 'ONE_TO_ONE' && rows.size + added >= ONE_TO_ONE_VALUES_MAX;
export const TOO_MANY = `A one-to-one relationship holds at most ${ONE_TO_ONE_VALUES_MAX} values`;

/** Drafts the values that the rules allow. Of conflicting values, the first is drafted. Each value has an outcome. */
export function draftValues(
  bucket: RelationshipValueBucket,
  values: readonly NewValue[],
  rules: ValueRules,
): ValuesDecision {
  const pairs = new PairIndex(bucket, rules);
  const outcomes: ValueOutcome[] = [];
  const rows: ({ id: number } & RelationshipValueContent)[] = [];
  const refuse = (index: number, outcome: ValueOutcome) => outcomes.push({ ...outcome, index });
  for (const { index, sequence, attributes, ...pair } of values) {
    const missing = missingAttributeMessage(rules, attributes);
    const conflict = pairs.refusal(pair, undefined, index);
    const bucketIsFull = isFull(bucket, rows.length, rules);
    if (missing !== undefined) refuse(index, refusedFor(index, 'INVALID', missing));
    else if (conflict) refuse(index, conflict);
    else if (bucketIsFull) {
      refuse(index, refusedFor(index, 'TOO_MANY', TOO_MANY));
    } else {
      const id = rowId(sequence, relationshipValueKey(rules.cardinality, pair));
      pairs.set(id, [pair]);
      rows.push({ id, ...pairOf(pair), attributes: withoutNulls(attributes) });
      outcomes.push({ id, index, outcome: 'done', revision: 1 });
    }
  }
  return { events: rows.length === 0 ? [] : [{ type: 'RelationshipValuesDrafted', data: { rows } }], result: outcomes };
}

/** A value to copy: the served value or, if there is none, the working value. */
export interface CopiedValue extends RelationshipValueContent {
  id: number;
}

/** Refuses values that break the rules of the copy. Of values that conflict with each other, the first is copied. */
export function copyableValues(
  values: readonly CopiedValue[],
  rules: ValueRules,
): { copied: CopiedValue[]; refused: ValueOutcome[] } {
  const pairs = new PairIndex(emptyRelationshipValueBucket(), rules);
  const copied: CopiedValue[] = [];
  const refused: ValueOutcome[] = [];
  for (const value of values) {
    const missing = missingAttributeMessage(rules, value.attributes);
    const why = missing === undefined ? pairs.refusal(value, value.id) : refusedFor(value.id, 'INVALID', missing);
    if (why) refused.push(why);
    else {
      pairs.set(value.id, [value]);
      copied.push(value);
    }
  }
  return { copied, refused };
}

export interface ValueEdit extends Partial<Pair> {
  id: number;
  revision: number;
  attributes?: Readonly<Record<string, CellValue>>;
}

/** Edits values. Refuses a second change of a row. The approved value stays served until the edit is approved. */
export function editValues(
  bucket: RelationshipValueBucket,
  edits: readonly ValueEdit[],
  rules: ValueRules,
  by: Reviewer,
): ValuesDecision {
  const pairs = new PairIndex(bucket, rules);
  const outcomes: ValueOutcome[] = [];
  const rows: ({ id: number } & RelationshipValueContent)[] = [];
  const edited = new Set<number>();
  for (const edit of edits) {
    const row = bucket.rows.get(edit.id);
    const why = edited.has(edit.id) ? 'STALE' : rowRefusal(row, 'edit', edit.revision, by);
    if (why || !row) {
      outcomes.push(row && why ? refusedWithChange(row, why) : refusedRow(edit.id, 'NOT_FOUND'));
      continue;
    }
    const value = editedValue(row, edit);
    const refused = editRefusal(row, value, pairs, rules);
    if (refused) outcomes.push({ ...refused, revision: row.revision });
    else if (isSameValue(row.value, value)) {
      outcomes.push({ id: row.id, outcome: 'done', revision: row.revision });
    } else {
      pairs.set(row.id, row.served ? [value, row.served] : [value]);
      rows.push({ id: row.id, ...value });
      edited.add(row.id);
      outcomes.push({ id: row.id, outcome: 'done', revision: row.revision + 1 });
    }
  }
  return { events: rows.length === 0 ? [] : [{ type: 'RelationshipValuesEdited', data: { rows } }], result: outcomes };
}

function editedValue({ value }: RelationshipValue, edit: ValueEdit): RelationshipValueContent {
  return {
    sourceInstanceId: edit.sourceInstanceId ?? value.sourceInstanceId,
    targetInstanceId: edit.targetInstanceId ?? value.targetInstanceId,
    attributes: withoutNulls({ ...value.attributes, ...edit.attributes }),
  };
}

function editRefusal(
  row: RelationshipValue,
  value: RelationshipValueContent,
  pairs: PairIndex,
  rules: ValueRules,
): ValueOutcome | undefined {
  const fixed = fixedEnd(rules.cardinality);
  if (fixed !== undefined && value[fixed] !== row.value[fixed]) {
    const end = fixed === 'sourceInstanceId' ? 'source' : 'target';
    return refusedFor(
      row.id,
      'FIXED_END',
      `The ${end} of a value cannot be changed: delete the value and add another one`,
    );
  }
  const missing = missingAttributeMessage(rules, value.attributes);
  if (missing !== undefined) return refusedFor(row.id, 'INVALID', missing);
  return pairs.refusal(value, row.id);
}

export function isSameValue(a: RelationshipValueContent, b: RelationshipValueContent): boolean {
  const names = new Set([...Object.keys(a.attributes), ...Object.keys(b.attributes)]);
  return (
    a.sourceInstanceId === b.sourceInstanceId &&
    a.targetInstanceId === b.targetInstanceId &&
    [...names].every((name) => a.attributes[name] === b.attributes[name])
  );
}

/** Applies a review verb to many rows, with an outcome for each; a row listed twice counts once. */
export function reviewValues(
  bucket: RelationshipValueBucket,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  rules: ValueRules,
  review: { by: Reviewer; comment: string | undefined; deletedEnd?: ((pair: Pair) => string | undefined) | undefined },
): ValuesDecision {
  const pairs = new PairIndex(bucket, rules);
  const { ready, outcomes } = selectReadyRows<RelationshipValue, ValueOutcome>(
    bucket.rows,
    verb,
    rows,
    review.by,
    (row) => {
      if (verb === 'submit') {
        // An attribute may have become required since the value was written.
        const why = missingAttributeMessage(rules, row.value.attributes) ?? review.deletedEnd?.(row.value);
        return why === undefined ? undefined : refusedFor(row.id, 'INVALID', why, row.revision);
      }
      if (verb !== 'restore') return undefined;
      const conflict = pairs.refusal(row.value, row.id);
      if (!conflict) pairs.set(row.id, [row.value]);
      return conflict && { ...conflict, revision: row.revision };
    },
  );
  return {
    events: reviewEvents<RelationshipValueEvent>('RelationshipValues', verb, ready, review.comment),
    result: outcomes,
  };
}
