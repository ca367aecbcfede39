/** Relationship values: what may happen to a source → target pair, and which pairs can stand beside each other. */
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

/** What a relationship asks of its values. */
export interface ValueRules {
  cardinality: Cardinality;
  /** Rows of one data set are related, and none to itself. */
  refusesSelf: boolean;
  required: readonly { attributeId: number; name: string }[];
}

/** A row's answer; of a pair that cannot stand beside another, which one: its words need their keys. */
export type ValueOutcome = RowOutcome & { conflict?: { asked: Pair; held: Pair } };
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

/** The pairs of a bucket while a decision over several rows is made: those it has taken so far count. */
export class Standing {
  readonly #bucket: RelationshipValueBucket;
  readonly #rules: ValueRules;
  /** Pairs of the rows that this decision changed or made, also by their ends. */
  readonly #taken = new Map<number, Pair[]>();
  readonly #takenBySource = new Map<number, Set<number>>();
  readonly #takenByTarget = new Map<number, Set<number>>();

  constructor(bucket: RelationshipValueBucket, rules: ValueRules) {
    this.#bucket = bucket;
    this.#rules = rules;
  }

  /** Why a row may not hold the pair, or undefined. `self` is the row, `answered` the id that its answer has. */
  refusal(pair: Pair, self: number | undefined, answered = self ?? 0): ValueOutcome | undefined {
    const { cardinality, refusesSelf } = this.#rules;
    if (refusesSelf && pair.sourceInstanceId === pair.targetInstanceId) {
      return refusedFor(answered, 'SELF', 'This relationship does not relate a row to itself');
    }
    for (const held of this.#near(pair, self)) {
      const sameSource = held.sourceInstanceId === pair.sourceInstanceId;
      const sameTarget = held.targetInstanceId === pair.targetInstanceId;
      if (sameSource && sameTarget) return refusedRow(answered, 'DUPLICATE');
      if ((sameSource && sourceIsUnique(cardinality)) || (sameTarget && targetIsUnique(cardinality))) {
        const message = `Cardinality violation: this breaks the ${cardinalityWords(cardinality)} rule`;
        return { ...refusedFor(answered, 'CARDINALITY', message), conflict: { asked: pair, held: pairOf(held) } };
      }
    }
    return undefined;
  }

  /** The row takes these pairs, and holds no others any more. */
  take(id: number, pairs: readonly Pair[]): void {
    for (const before of this.#taken.get(id) ?? []) {
      this.#takenBySource.get(before.sourceInstanceId)?.delete(id);
      this.#takenByTarget.get(before.targetInstanceId)?.delete(id);
    }
    this.#taken.set(id, pairs.map(pairOf));
    for (const { sourceInstanceId, targetInstanceId } of pairs) {
      addTo(this.#takenBySource, sourceInstanceId, id);
      addTo(this.#takenByTarget, targetInstanceId, id);
    }
  }

  /** Pairs of other rows that share an end with this one. */
  *#near(pair: Pair, self: number | undefined): Generator<Pair> {
    const { bySource, byTarget, rows } = this.#bucket;
    for (const id of this.#sharing(pair, bySource, byTarget)) {
      const row = rows.get(id);
      if (id !== self && row && !this.#taken.has(id)) yield* heldPairs(row);
    }
    for (const id of this.#sharing(pair, this.#takenBySource, this.#takenByTarget)) {
      if (id !== self) yield* this.#taken.get(id) ?? [];
    }
  }

  /** Rows that share an end that is unique; where none is only the same pair matters, and that is among the fewer. */
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

export function missingAttribute(
  { required }: ValueRules,
  attributes: RelationshipValueContent['attributes'],
): string | undefined {
  const missing = required.find(({ attributeId }) => (attributes[attributeId] ?? null) === null);
  return missing && `The attribute "${missing.name}" is required`;
}

export const withoutNulls = (attributes: Readonly<Record<string, CellValue>>): RelationshipValueContent['attributes'] =>
  Object.fromEntries(Object.entries(attributes).filter(([, cell]) => cell !== null));

export interface NewValue extends Pair {
  /** Place in the request, for the answer. */
  index: number;
  sequence: number;
  attributes: Readonly<Record<string, CellValue>>;
}

/** All values of a one-to-one relationship share one bucket. */
export const holdsNoMore = ({ rows }: RelationshipValueBucket, added: number, { cardinality }: ValueRules): boolean =>
  cardinality === 'ONE_TO_ONE' && rows.size + added >= ONE_TO_ONE_VALUES_MAX;
export const TOO_MANY = `A one-to-one relationship holds at most ${ONE_TO_ONE_VALUES_MAX} values`;

/** Drafts values whose pairs can stand beside all others; of two in a request that cannot, the first wins. */
export function draftValues(
  bucket: RelationshipValueBucket,
  values: readonly NewValue[],
  rules: ValueRules,
): ValuesDecision {
  const standing = new Standing(bucket, rules);
  const outcomes: ValueOutcome[] = [];
  const rows: ({ id: number } & RelationshipValueContent)[] = [];
  const refuse = (index: number, outcome: ValueOutcome) => outcomes.push({ ...outcome, index });
  for (const { index, sequence, attributes, ...pair } of values) {
    const missing = missingAttribute(rules, attributes);
    const conflict = standing.refusal(pair, undefined, index);
    const isFull = holdsNoMore(bucket, rows.length, rules);
    if (missing !== undefined) refuse(index, refusedFor(index, 'INVALID', missing));
    else if (conflict) refuse(index, conflict);
    else if (isFull) {
      refuse(index, refusedFor(index, 'TOO_MANY', TOO_MANY));
    } else {
      const id = rowId(sequence, relationshipValueKey(rules.cardinality, pair));
      standing.take(id, [pair]);
      rows.push({ id, ...pairOf(pair), attributes: withoutNulls(attributes) });
      outcomes.push({ id, index, outcome: 'done', revision: 1 });
    }
  }
  return { events: rows.length === 0 ? [] : [{ type: 'RelationshipValuesDrafted', data: { rows } }], result: outcomes };
}

/** A value as a copy of its relationship takes it over: what serves, or else what is asked for. */
export interface CopiedValue extends RelationshipValueContent {
  id: number;
}

/** Which values can stand beside each other under these rules, the first of several; and why the others cannot. */
export function copyableValues(
  values: readonly CopiedValue[],
  rules: ValueRules,
): { copied: CopiedValue[]; refused: ValueOutcome[] } {
  const standing = new Standing(emptyRelationshipValueBucket(), rules);
  const copied: CopiedValue[] = [];
  const refused: ValueOutcome[] = [];
  for (const value of values) {
    const missing = missingAttribute(rules, value.attributes);
    const why = missing === undefined ? standing.refusal(value, value.id) : refusedFor(value.id, 'INVALID', missing);
    if (why) refused.push(why);
    else {
      standing.take(value.id, [value]);
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

/** Edits values, each row once; the approved value of a row keeps serving until the edit is approved. */
export function editValues(
  bucket: RelationshipValueBucket,
  edits: readonly ValueEdit[],
  rules: ValueRules,
  by: Reviewer,
): ValuesDecision {
  const standing = new Standing(bucket, rules);
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
    const refused = editRefusal(row, value, standing, rules);
    if (refused) outcomes.push({ ...refused, revision: row.revision });
    else if (saysTheSame(row.value, value)) {
      outcomes.push({ id: row.id, outcome: 'done', revision: row.revision });
    } else {
      standing.take(row.id, row.served ? [value, row.served] : [value]);
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
  standing: Standing,
  rules: ValueRules,
): ValueOutcome | undefined {
  const fixed = fixedEnd(rules.cardinality);
  if (fixed !== undefined && value[fixed] !== row.value[fixed]) {
    const end = fixed === 'sourceInstanceId' ? 'source' : 'target';
    return refusedFor(row.id, 'FIXED_END', `The ${end} of a value cannot be changed: delete it and add another one`);
  }
  const missing = missingAttribute(rules, value.attributes);
  if (missing !== undefined) return refusedFor(row.id, 'INVALID', missing);
  return standing.refusal(value, row.id);
}

export function saysTheSame(a: RelationshipValueContent, b: RelationshipValueContent): boolean {
  const names = new Set([...Object.keys(a.attributes), ...Object.keys(b.attributes)]);
  return (
    a.sourceInstanceId === b.sourceInstanceId &&
    a.targetInstanceId === b.targetInstanceId &&
    [...names].every((name) => a.attributes[name] === b.attributes[name])
  );
}

/** One review verb over many rows, each answered for itself; a row named twice counts once. */
export function reviewValues(
  bucket: RelationshipValueBucket,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  rules: ValueRules,
  said: { by: Reviewer; comment: string | undefined; gone?: ((pair: Pair) => string | undefined) | undefined },
): ValuesDecision {
  const standing = new Standing(bucket, rules);
  const { ready, outcomes } = selectReadyRows<RelationshipValue, ValueOutcome>(
    bucket.rows,
    verb,
    rows,
    said.by,
    (row) => {
      if (verb === 'submit') {
        // An attribute may have become required since the value was written.
        const missing = missingAttribute(rules, row.value.attributes) ?? said.gone?.(row.value);
        return missing === undefined ? undefined : refusedFor(row.id, 'INVALID', missing, row.revision);
      }
      if (verb !== 'restore') return undefined;
      const conflict = standing.refusal(row.value, row.id);
      if (!conflict) standing.take(row.id, [row.value]);
      return conflict && { ...conflict, revision: row.revision };
    },
  );
  return {
    events: reviewEvents<RelationshipValueEvent>('RelationshipValues', verb, ready, said.comment),
    result: outcomes,
  };
}
