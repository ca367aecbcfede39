/** Copies relationships. The first value locks the rules of a relationship; a copy can have other rules. */
import {
  activeAttributes,
  BUCKETS,
  BULK_ANSWER_ROWS,
  bucketOfKey,
  type CopyRelationship,
  Refusal,
  type Relationship,
  type RelationshipCopied,
  type RelationshipDefinition,
  relationshipValueKey,
  streams,
} from '@rdm/contracts';
import { decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { endsOf } from '../invariants/definition-ends.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { defineCopy, lockRules } from './decider.ts';
import { createRelationship, relationshipKind, requireRelationship, valueRules } from './definitions.ts';
import { cardinalityMessage, findDeletedRows, loadPairKeys } from './ends.ts';
import { type CopiedValue, copyableValues, draftValues, type ValueOutcome } from './values.ts';

const VIOLATIONS_LISTED = 100;

/** Loads the values of a relationship, ordered by id. A value that is not served is copied as its working value. */
async function valuesOf(x: Execution, id: number): Promise<CopiedValue[]> {
  const values: CopiedValue[] = [];
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    for (const row of state.rows.values()) {
      if (!row.deleted) values.push({ id: row.id, ...(row.served ?? row.value) });
    }
  }
  if (values.length > BULK_ANSWER_ROWS) {
    throw new Refusal('TOO_LARGE', `A relationship with more than ${BULK_ANSWER_ROWS} values cannot be copied`);
  }
  return values.sort((a, b) => a.id - b.id);
}

/** Separates the values whose source or target row was deleted; these values are not copied. */
async function splitByRows(
  x: Execution,
  { sourceDataSetId, targetDataSetId }: RelationshipDefinition,
  values: readonly CopiedValue[],
): Promise<{ live: CopiedValue[]; broken: ValueOutcome[] }> {
  const sources = await findDeletedRows(
    x,
    sourceDataSetId,
    values.map((value) => value.sourceInstanceId),
  );
  const targets = await findDeletedRows(
    x,
    targetDataSetId,
    values.map((value) => value.targetInstanceId),
  );
  const live: CopiedValue[] = [];
  const broken: ValueOutcome[] = [];
  for (const value of values) {
    const end = sources.has(value.sourceInstanceId)
      ? 'source'
      : targets.has(value.targetInstanceId)
        ? 'target'
        : undefined;
    if (end === undefined) live.push(value);
    else broken.push({ id: value.id, outcome: 'refused', code: 'BROKEN', message: `Its ${end} row was deleted` });
  }
  return { live, broken };
}

/** Returns the relationship with the name and the rules of the copy. */
function copyOf({ value, ...rest }: Relationship, body: CopyRelationship): Relationship {
  const definition = {
    ...value,
    name: body.name,
    cardinality: body.cardinality ?? value.cardinality,
    allowSelfRelationship: body.allowSelfRelationship ?? value.allowSelfRelationship,
  };
  return { ...rest, value: definition };
}

/** Lists the first values that cannot be copied, with the keys of their source and target rows. */
async function violationsOf(
  x: Execution,
  { value }: Relationship,
  values: readonly CopiedValue[],
  refused: readonly ValueOutcome[],
): Promise<RelationshipCopied['violations']> {
  const byId = new Map(values.map((each) => [each.id, each]));
  const listed = refused.slice(0, VIOLATIONS_LISTED).map((outcome) => ({
    outcome,
    pair: byId.get(outcome.id) as CopiedValue,
  }));
  const keysOf = await loadPairKeys(
    x,
    value,
    listed.flatMap(({ outcome: { conflict }, pair }) => (conflict ? [pair, conflict.held] : [pair])),
  );
  return listed.map(({ outcome: { id, code = '', message = '', conflict }, pair }) => {
    const reason = conflict ? cardinalityMessage(value.cardinality, keysOf(pair), keysOf(conflict.held)) : message;
    return { id, ...keysOf(pair), code, message: reason };
  });
}

export const copy = command<{ id: number; body: CopyRelationship }>('CopyRelationship', async (x, { id, body }) => {
  const { relationship, governedBy } = await requireRelationship(x, id);
  const planned = copyOf(relationship, body);
  const values = await valuesOf(x, id);
  const { live, broken } = await splitByRows(x, planned.value, values);
  const { copied, refused: conflicting } = copyableValues(live, valueRules(planned));
  const refused = [...conflicting, ...broken].sort((a, b) => a.id - b.id);
  const violations = await violationsOf(x, planned, values, refused);
  const answer = { copied: copied.length, refused: refused.length, violations };
  if (body.preview) return { body: { id: null, revision: null, ...answer } satisfies RelationshipCopied };
  const newId = await x.allocateOne('relationship_ids');
  const definition = { ...planned.value, id: newId };
  await createRelationship(x, definition, await endsOf(x, relationshipKind, definition), (state) =>
    defineCopy(state, definition, activeAttributes(relationship)),
  );
  if (copied.length > 0) await draftCopies(x, newId, copied, relationship, governedBy);
  const revision = x.after(kinds.relationship, streams.relationship(newId))?.revision ?? 0;
  return { status: 201, body: { id: newId, revision, ...answer } satisfies RelationshipCopied };
});

/** Drafts the values in the copy. The attributes of the copy have new ids. */
async function draftCopies(
  x: Execution,
  id: number,
  values: readonly CopiedValue[],
  original: Relationship,
  governedBy: number[],
): Promise<void> {
  const created = await x.change(kinds.relationship, streams.relationship(id), governedBy, lockRules);
  const rules = valueRules(created);
  const sequences = await x.allocate('relationship_value_ids', values.length);
  const attributes = activeAttributes(original).map(({ attributeId }, index) => [attributeId, index + 1] as const);
  const drafts = values.map(({ id: _, attributes: cells, ...pair }, index) => ({
    ...pair,
    index,
    sequence: sequences[index] as number,
    attributes: Object.fromEntries(attributes.map(([from, to]) => [to, cells[from] ?? null])),
  }));
  const chunks = toChunks(drafts, (pair) => bucketOfKey(relationshipValueKey(rules.cardinality, pair)), jsonBytes);
  await decideChunks(x, chunks, (bucket, chunk) =>
    x.change(kinds.relationshipValues, streams.relationshipValues(id, bucket), governedBy, (state) =>
      draftValues(state, chunk, rules),
    ),
  );
}
