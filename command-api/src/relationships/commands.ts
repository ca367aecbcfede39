/** Commands of relationship values: rows found and attributes read before, the buckets decide, each row is answered. */
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
  type ReviewRows,
  type RowOutcome,
  relationshipValueKey,
  streams,
} from '@rdm/contracts';
import type { z } from 'zod';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import type { ReviewRows as Review } from '../review/reviewers.ts';
import { decideRows, type RowVerb, refusalOf } from '../review/row-review.ts';
import { type RowsTarget, reviewRequestedRows } from '../review/row-review-command.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { startValues } from './decider.ts';
import { type Opened, open, openFor, valueRules } from './definitions.ts';
import { type CalledPair, cardinalityViolation, type Named, pairsCalled, rowsGone, rowsNamed, sideOf } from './ends.ts';
import { draftValues, editValues, type NewValue, reviewValues, type ValueEdit, type ValueOutcome } from './values.ts';

/** Attributes by id, or why they cannot be taken; nothing is coerced unseen. */
function readAttributes(
  relationship: Relationship,
  said: Record<string, z.infer<typeof Cell>>,
): { attributes: Record<string, CellValue> } | { reason: string } {
  const attributes: Record<string, CellValue> = {};
  const known = activeAttributes(relationship);
  for (const [name, value] of Object.entries(said)) {
    const attribute = known.find((each) => each.name === name);
    if (!attribute) return { reason: `This relationship has no attribute "${name}"` };
    const cell = checkCell(value, attribute.dataType);
    if (!cell.ok) return { reason: `${name}: ${cell.reason}` };
    attributes[attribute.attributeId] = cell.value;
  }
  return { attributes };
}

const invalid = (id: number, message: string): RowOutcome => ({ id, outcome: 'refused', code: 'INVALID', message });

const named = (id: number | undefined, key: string | undefined): Named =>
  id === undefined ? { key: key ?? '' } : { id };

/** A new value as it was asked for. */
const askedFor = (row: NewRelationshipValue | undefined): string =>
  pairText({
    source: row?.sourceKey ?? String(row?.sourceInstanceId ?? ''),
    target: row?.targetKey ?? String(row?.targetInstanceId ?? ''),
  });

/** Finds the rows that new values join and reads their attributes: what is ready, and what is refused already. */
async function readNew(x: Execution, relationship: Relationship, rows: readonly NewRelationshipValue[]) {
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  const [source, target] = [await sideOf(x, sourceDataSetId), await sideOf(x, targetDataSetId)];
  const sources = await rowsNamed(
    x,
    source,
    rows.map((row) => named(row.sourceInstanceId, row.sourceKey)),
  );
  const targets = await rowsNamed(
    x,
    target,
    rows.map((row) => named(row.targetInstanceId, row.targetKey)),
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
    const { governedBy, relationship: seen } = await openFor(x, id);
    const sequences = await x.allocate('relationship_value_ids', body.rows.length);
    let read = await readNew(x, seen, body.rows);
    const results: RowOutcome[] = [];
    const numbered = () => read.ready.map((value) => ({ ...value, sequence: sequences[value.index] as number }));
    // What no rule lets stand, even alone, does not lock the rules.
    const alone = seen.hasValues
      ? undefined
      : draftValues(emptyRelationshipValueBucket(), numbered(), valueRules(seen));
    if (alone?.events.length === 0) {
      results.push(...(await worded(x, seen, alone.result)));
    } else if (read.ready.length > 0) {
      const relationship = await x.change(kinds.relationship, streams.relationship(id), governedBy, startValues);
      // Somebody changed attributes meanwhile: what they say now, locked by the first value, counts.
      if (relationship.revision !== seen.revision) read = await readNew(x, relationship, body.rows);
      const rules = valueRules(relationship);
      const chunks = toChunks(
        numbered(),
        (pair) => bucketOfKey(relationshipValueKey(rules.cardinality, pair)),
        jsonBytes,
      );
      const decided = await decideChunks(x, chunks, (bucket, some) =>
        x.change(kinds.relationshipValues, streams.relationshipValues(id, bucket), governedBy, (state) =>
          draftValues(state, some, rules),
        ),
      );
      results.push(...(await worded(x, relationship, decided)));
    }
    results.push(...read.refused);
    results.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const answered = bulkAnswer(
      x,
      results.map((each) =>
        each.outcome === 'refused' ? { ...each, key: askedFor(body.rows[each.index ?? -1]) } : each,
      ),
      201,
    );
    const only = results[0];
    if (body.rows.length > 1 || !only) return answered;
    if (only.outcome === 'refused') throw refusalOf(only);
    return { ...answered, body: { ...answered.body, id: only.id, revision: 1 } };
  },
);

/** Answers with words that quote the two values where one cannot stand beside the other. */
async function worded(x: Execution, relationship: Relationship, outcomes: ValueOutcome[]): Promise<RowOutcome[]> {
  const conflicts = outcomes.flatMap(({ conflict }) => (conflict ? [conflict.asked, conflict.held] : []));
  if (conflicts.length === 0) return outcomes;
  const called = await pairsCalled(x, relationship.value, conflicts);
  return outcomes.map(({ conflict, ...outcome }) =>
    conflict
      ? {
          ...outcome,
          message: cardinalityViolation(relationship.value.cardinality, called(conflict.asked), called(conflict.held)),
        }
      : outcome,
  );
}

/** Says of refused values what people call them: the keys of their rows. Several may lie in one bucket. */
async function valuesCalled(x: Execution, { id, value }: Relationship, outcomes: RowOutcome[]): Promise<RowOutcome[]> {
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
  const called = await pairsCalled(x, value, [...pairs.values()]);
  return outcomes.map((outcome) => {
    const pair = outcome.outcome === 'refused' ? pairs.get(outcome.id) : undefined;
    return pair ? { ...outcome, key: pairText(called(pair)) } : outcome;
  });
}

const pairText = ({ source, target }: CalledPair): string => `${source} → ${target}`;

/** Answers about values that are there, in words: which they are, and what one cannot stand beside. */
export const told = async (x: Execution, relationship: Relationship, outcomes: ValueOutcome[]): Promise<RowOutcome[]> =>
  valuesCalled(x, relationship, await worded(x, relationship, outcomes));

export const edit = command<{ id: number; body: EditRelationshipValues }>(
  'EditRelationshipValues',
  async (x, { id, body }) => {
    const { by, governedBy, relationship } = await openFor(x, id);
    const { ready, refused } = await readEdits(x, relationship, body.rows);
    const rules = valueRules(relationship);
    const outcomes = await decideRows(
      x,
      ready,
      (row) => bucketOfRow(row.id),
      (bucket, some) =>
        x.change(kinds.relationshipValues, streams.relationshipValues(id, bucket), governedBy, (state) =>
          editValues(state, some, rules, by),
        ),
      jsonBytes,
    );
    return bulkAnswer(x, [
      ...(await told(x, relationship, outcomes)),
      ...(await valuesCalled(x, relationship, refused)),
    ]);
  },
);

/** Reads the attributes of edits and looks for the rows that they lead to. */
async function readEdits(x: Execution, relationship: Relationship, rows: EditRelationshipValues['rows']) {
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  const missingIn = async (dataSetId: number, ids: (number | undefined)[]): Promise<Map<number, string>> => {
    const wanted = [...new Set(ids.filter((id) => id !== undefined))];
    if (wanted.length === 0) return new Map();
    const found = await rowsNamed(
      x,
      await sideOf(x, dataSetId),
      wanted.map((id) => ({ id })),
    );
    return new Map(found.flatMap((each, index) => ('reason' in each ? [[wanted[index] as number, each.reason]] : [])));
  };
  const noSource = await missingIn(
    sourceDataSetId,
    rows.map((row) => row.sourceInstanceId),
  );
  const noTarget = await missingIn(
    targetDataSetId,
    rows.map((row) => row.targetInstanceId),
  );
  const ready: ValueEdit[] = [];
  const refused: RowOutcome[] = [];
  for (const { attributes: said, ...row } of rows) {
    const read = readAttributes(relationship, said ?? {});
    const why = noSource.get(row.sourceInstanceId ?? 0) ?? noTarget.get(row.targetInstanceId ?? 0);
    if (why !== undefined) refused.push(invalid(row.id, why));
    else if ('reason' in read) refused.push(invalid(row.id, read.reason));
    else ready.push(withoutUndefined({ ...row, attributes: read.attributes }));
  }
  return { ready, refused };
}

const withoutUndefined = (edit: { [Name in keyof ValueEdit]: ValueEdit[Name] | undefined }): ValueEdit =>
  Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as unknown as ValueEdit;

export const review = command<{ id: number; verb: RowVerb; body: ReviewRows }>(
  'ReviewRelationshipValues',
  async (x, { id, verb, body }) => {
    const opened = await openFor(x, id);
    const { relationship, governedBy } = opened;
    const chosen: RowsTarget = {
      kind: 'relationship-values',
      parentId: id,
      what: `values of ${relationship.value.name}`,
      sourceId: relationship.value.sourceDataSetId,
      governedBy,
    };
    return reviewRequestedRows(x, verb, body, chosen, (rows) =>
      reviewRows(x, opened, verb, rows, body.comment, openFor),
    );
  },
);

async function reviewRows(
  x: Execution,
  opened: Opened,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  comment: string | undefined,
  openAgain: typeof openFor,
): Promise<RowOutcome[]> {
  const { relationship } = opened;
  const rules = valueRules(relationship);
  const gone = verb === 'submit' ? await endsGone(x, relationship, rows) : undefined;
  const outcomes = await decideRows(
    x,
    rows,
    (row) => bucketOfRow(row.id),
    (bucket, some) => {
      const stream = streams.relationshipValues(relationship.id, bucket);
      return x.piece(stream, async () => {
        // A job takes its time: who may decide is asked anew for each of its pieces.
        const { by, governedBy } = x.jobId === undefined ? opened : await openAgain(x, relationship.id);
        const decided = await x.change(kinds.relationshipValues, stream, governedBy, (state) =>
          reviewValues(state, verb, some, rules, { by, comment, gone }),
        );
        return x.jobId === undefined ? decided : told(x, relationship, decided);
      });
    },
  );
  return x.jobId === undefined ? told(x, relationship, outcomes) : outcomes;
}

/** Why a pair cannot be submitted: one of its rows is not there any more. A soft check, as when it was drafted. */
async function endsGone(
  x: Execution,
  { id, value: { sourceDataSetId, targetDataSetId } }: Relationship,
  rows: readonly { id: number }[],
): Promise<(pair: Pair) => string | undefined> {
  const pairs: Pair[] = [];
  for (const bucket of new Set(rows.map((row) => bucketOfRow(row.id)))) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    for (const row of rows) {
      const known = state.rows.get(row.id);
      if (known) pairs.push(known.value);
    }
  }
  const idsOf = (end: keyof Pair) => pairs.map((pair) => pair[end]);
  const sources = await rowsGone(x, sourceDataSetId, idsOf('sourceInstanceId'));
  const targets = await rowsGone(x, targetDataSetId, idsOf('targetInstanceId'));
  return ({ sourceInstanceId, targetInstanceId }) => {
    const end = sources.has(sourceInstanceId) ? 'source' : targets.has(targetInstanceId) ? 'target' : undefined;
    return end && `The ${end} row of this value was deleted: lead the value to another row, or bring the row back`;
  };
}

/** How the approvals dashboard reviews values. */
export const reviewRelationshipValueItems: Review = async (x, verb, parentId, rows, comment) =>
  reviewRows(x, await open(x, parentId), verb, rows, comment, open);
