/** Commands on relationship values. They look up rows and attributes, and answer with an outcome per value. */
import {
  activeAttributes,
  bucketOfKey,
  bucketOfRow,
  type Cell,
  type CellValue,
  checkCell,
  type DraftRelationshipValues,
  type EditRelationshipValues,
  emptyRelationshipValueBucket,
  type NewRelationshipValue,
  type Pair,
  type Relationship,
  type RowOutcome,
  relationshipValueKey,
  streams,
} from '@rdm/contracts';
import type { z } from 'zod';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { draftAnswer } from '../review/row-drafts.ts';
import { decideRows } from '../review/row-review.ts';
import { rowReview } from '../review/row-review-command.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { lockRules } from './decider.ts';
import { loadRelationship, type RelationshipAccess, requireRelationship, valueRules } from './definitions.ts';
import {
  cardinalityMessage,
  findDeletedRows,
  findRows,
  loadPairKeys,
  type PairKeys,
  type RowReference,
  sideOf,
} from './ends.ts';
import { draftValues, editValues, type NewValue, reviewValues, type ValueEdit, type ValueOutcome } from './values.ts';

/** Returns the cells by attribute id, or the reason why a cell is refused. An empty text becomes null. */
function readAttributes(
  relationship: Relationship,
  values: Record<string, z.infer<typeof Cell>>,
): { attributes: Record<string, CellValue> } | { reason: string } {
  const attributes: Record<string, CellValue> = {};
  const definedAttributes = activeAttributes(relationship);
  for (const [name, value] of Object.entries(values)) {
    const attribute = definedAttributes.find((each) => each.name === name);
    if (!attribute) return { reason: `This relationship has no attribute "${name}"` };
    const cell = checkCell(value, attribute.dataType);
    if (!cell.ok) return { reason: `${name}: ${cell.reason}` };
    attributes[attribute.attributeId] = cell.value;
  }
  return { attributes };
}

const invalid = (id: number, message: string): RowOutcome => ({ id, outcome: 'refused', code: 'INVALID', message });

const toReference = (id: number | undefined, key: string | undefined): RowReference =>
  id === undefined ? { key: key ?? '' } : { id };

/** Identifies a requested value by the key of each row, or by the id of a row whose key was not sent. */
const requestedPairText = (row: NewRelationshipValue | undefined): string =>
  pairText({
    source: row?.sourceKey ?? String(row?.sourceInstanceId ?? ''),
    target: row?.targetKey ?? String(row?.targetInstanceId ?? ''),
  });

/** Looks up the rows and attributes of new values. Splits the values into ready and refused ones. */
async function readNew(x: Execution, relationship: Relationship, rows: readonly NewRelationshipValue[]) {
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  const [source, target] = [await sideOf(x, sourceDataSetId), await sideOf(x, targetDataSetId)];
  const sources = await findRows(
    x,
    source,
    rows.map((row) => toReference(row.sourceInstanceId, row.sourceKey)),
  );
  const targets = await findRows(
    x,
    target,
    rows.map((row) => toReference(row.targetInstanceId, row.targetKey)),
  );
  const ready: Omit<NewValue, 'sequence'>[] = [];
  const refused: RowOutcome[] = [];
  rows.forEach((row, index) => {
    const [from, to, read] = [sources[index], targets[index], readAttributes(relationship, row.attributes)];
    const why = [from, to, read].flatMap((each) => (each && 'reason' in each ? [each.reason] : []))[0];
    if (why !== undefined || !from || !to || 'reason' in from || 'reason' in to || 'reason' in read) {
      refused.push({ ...invalid(index, why ?? ''), index });
    } else {
      ready.push({ index, sourceInstanceId: from.id, targetInstanceId: to.id, attributes: read.attributes });
    }
  });
  return { ready, refused };
}

export const draft = command<{ id: number; body: DraftRelationshipValues }>(
  'DraftRelationshipValues',
  async (x, { id, body }) => {
    const { governedBy, relationship: initial } = await requireRelationship(x, id);
    const sequences = await x.allocate('relationship_value_ids', body.rows.length);
    let read = await readNew(x, initial, body.rows);
    const results: RowOutcome[] = [];
    const numbered = () => read.ready.map((value) => ({ ...value, sequence: sequences[value.index] as number }));
    // The first stored value locks the cardinality and the data types of attributes. A request that stores no value
    // must not lock them, so decide first on an empty bucket.
    const emptyBucketDecision = initial.hasValues
      ? undefined
      : draftValues(emptyRelationshipValueBucket(), numbered(), valueRules(initial));
    if (emptyBucketDecision?.events.length === 0) {
      results.push(...(await withConflictMessages(x, initial, emptyBucketDecision.result)));
    } else if (read.ready.length > 0) {
      const relationship = await x.change(kinds.relationship, streams.relationship(id), governedBy, lockRules);
      // If the relationship was changed before the lock, read the request again with the current attributes.
      if (relationship.revision !== initial.revision) read = await readNew(x, relationship, body.rows);
      const rules = valueRules(relationship);
      const chunks = toChunks(
        numbered(),
        (pair) => bucketOfKey(relationshipValueKey(rules.cardinality, pair)),
        jsonBytes,
      );
      const decided = await decideChunks(x, chunks, (bucket, chunk) =>
        x.change(kinds.relationshipValues, streams.relationshipValues(id, bucket), governedBy, (state) =>
          draftValues(state, chunk, rules),
        ),
      );
      results.push(...(await withConflictMessages(x, relationship, decided)));
    }
    results.push(...read.refused);
    return draftAnswer(x, body.rows.length, results, (index) => requestedPairText(body.rows[index]));
  },
);

/** Adds messages that quote both values of a cardinality conflict. */
async function withConflictMessages(
  x: Execution,
  relationship: Relationship,
  outcomes: ValueOutcome[],
): Promise<RowOutcome[]> {
  const conflicts = outcomes.flatMap(({ conflict }) => (conflict ? [conflict.requested, conflict.held] : []));
  if (conflicts.length === 0) return outcomes;
  const keysOf = await loadPairKeys(x, relationship.value, conflicts);
  return outcomes.map(({ conflict, ...outcome }) =>
    conflict
      ? {
          ...outcome,
          message: cardinalityMessage(
            relationship.value.cardinality,
            keysOf(conflict.requested),
            keysOf(conflict.held),
          ),
        }
      : outcome,
  );
}

/** Adds the keys of both rows to each refused outcome. */
async function withKeys(x: Execution, { id, value }: Relationship, outcomes: RowOutcome[]): Promise<RowOutcome[]> {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return outcomes;
  const pairs = new Map<number, Pair>();
  for (const bucket of new Set(refused.map((each) => bucketOfRow(each.id)))) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    for (const each of refused) {
      const row = state.rows.get(each.id);
      if (row) pairs.set(each.id, row.value);
    }
  }
  const keysOf = await loadPairKeys(x, value, [...pairs.values()]);
  return outcomes.map((outcome) => {
    const pair = outcome.outcome === 'refused' ? pairs.get(outcome.id) : undefined;
    return pair ? { ...outcome, key: pairText(keysOf(pair)) } : outcome;
  });
}

const pairText = ({ source, target }: PairKeys): string => `${source} → ${target}`;

/** Adds keys and conflict messages to outcomes of existing values. */
export const withKeysAndConflicts = async (
  x: Execution,
  relationship: Relationship,
  outcomes: ValueOutcome[],
): Promise<RowOutcome[]> => withKeys(x, relationship, await withConflictMessages(x, relationship, outcomes));

export const edit = command<{ id: number; body: EditRelationshipValues }>(
  'EditRelationshipValues',
  async (x, { id, body }) => {
    const { by, governedBy, relationship } = await requireRelationship(x, id);
    const { ready, refused } = await readEdits(x, relationship, body.rows);
    const rules = valueRules(relationship);
    const outcomes = await decideRows(
      x,
      ready,
      (row) => bucketOfRow(row.id),
      (bucket, chunk) =>
        x.change(kinds.relationshipValues, streams.relationshipValues(id, bucket), governedBy, (state) =>
          editValues(state, chunk, rules, by),
        ),
      jsonBytes,
    );
    return bulkAnswer(x, [
      ...(await withKeysAndConflicts(x, relationship, outcomes)),
      ...(await withKeys(x, relationship, refused)),
    ]);
  },
);

/** Reads the attributes of edits and checks the rows to which the edits refer. */
async function readEdits(x: Execution, relationship: Relationship, rows: EditRelationshipValues['rows']) {
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  const missingRowReasons = async (dataSetId: number, ids: (number | undefined)[]): Promise<Map<number, string>> => {
    const distinct = [...new Set(ids.filter((id) => id !== undefined))];
    if (distinct.length === 0) return new Map();
    const results = await findRows(
      x,
      await sideOf(x, dataSetId),
      distinct.map((id) => ({ id })),
    );
    return new Map(
      results.flatMap((each, index) => ('reason' in each ? [[distinct[index] as number, each.reason]] : [])),
    );
  };
  const noSource = await missingRowReasons(
    sourceDataSetId,
    rows.map((row) => row.sourceInstanceId),
  );
  const noTarget = await missingRowReasons(
    targetDataSetId,
    rows.map((row) => row.targetInstanceId),
  );
  const ready: ValueEdit[] = [];
  const refused: RowOutcome[] = [];
  for (const { attributes: cells, ...row } of rows) {
    const read = readAttributes(relationship, cells ?? {});
    const why = noSource.get(row.sourceInstanceId ?? 0) ?? noTarget.get(row.targetInstanceId ?? 0);
    if (why !== undefined) refused.push(invalid(row.id, why));
    else if ('reason' in read) refused.push(invalid(row.id, read.reason));
    else ready.push(withoutUndefined({ ...row, attributes: read.attributes }));
  }
  return { ready, refused };
}

const withoutUndefined = (edit: { [Name in keyof ValueEdit]: ValueEdit[Name] | undefined }): ValueEdit =>
  Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as unknown as ValueEdit;

export const valueReview = rowReview<RelationshipAccess>({
  command: 'ReviewRelationshipValues',
  kind: 'relationship-values',
  describe: ({ relationship }) => `values of ${relationship.value.name}`,
  requireParent: requireRelationship,
  loadParent: loadRelationship,
  stream: streams.relationshipValues,

  async prepare(x, { relationship }, verb, rows, comment) {
    const rules = valueRules(relationship);
    const deletedEnd = verb === 'submit' ? await deletedEndCheck(x, relationship, rows) : undefined;
    return async (stream, chunk, { by, governedBy }) => {
      const outcomes = await x.change(kinds.relationshipValues, stream, governedBy, (state) =>
        reviewValues(state, verb, chunk, rules, { by, comment, deletedEnd }),
      );
      return x.jobId === undefined ? outcomes : withKeysAndConflicts(x, relationship, outcomes);
    };
  },

  // Without a job, the keys of all refused rows are looked up together.
  finish: async (x, { relationship }, _verb, outcomes) =>
    x.jobId === undefined ? withKeysAndConflicts(x, relationship, outcomes) : outcomes,
});

/**
 * Returns a function that returns the reason to refuse a pair with a deleted row, or undefined. The function does not
 * know rows that are deleted later.
 */
async function deletedEndCheck(
  x: Execution,
  { id, value: { sourceDataSetId, targetDataSetId } }: Relationship,
  rows: readonly { id: number }[],
): Promise<(pair: Pair) => string | undefined> {
  const pairs: Pair[] = [];
  for (const bucket of new Set(rows.map((row) => bucketOfRow(row.id)))) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    for (const row of rows) {
      const stored = state.rows.get(row.id);
      if (stored) pairs.push(stored.value);
    }
  }
  const idsOf = (end: keyof Pair) => pairs.map((pair) => pair[end]);
  const sources = await findDeletedRows(x, sourceDataSetId, idsOf('sourceInstanceId'));
  const targets = await findDeletedRows(x, targetDataSetId, idsOf('targetInstanceId'));
  return ({ sourceInstanceId, targetInstanceId }) => {
    const end = sources.has(sourceInstanceId) ? 'source' : targets.has(targetInstanceId) ? 'target' : undefined;
    return end && `The ${end} row of this value was deleted: choose another row for the value, or restore the row`;
  };
}
