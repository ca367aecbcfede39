/** Commands on crosswalks themselves: who may, in which order the streams change, what is answered. */
import {
  BUCKETS,
  type ChangeCrosswalk,
  type Crosswalk,
  type CrosswalkDefinition,
  type CrosswalkEvent,
  type DataSet,
  type DefineCrosswalk,
  HEADER_LEVEL,
  hasLevel,
  REVIEW_REFUSALS,
  type ReferenceType,
  Refusal,
  type ReviewRows,
  type RowOutcome,
  streams,
} from '@rdm/contracts';
import {
  type End,
  fieldNamed,
  loadEnds,
  referenceField,
  registerEnds,
  requireType,
  restoreWithEnds,
  unreferenceField,
  unregisterEnds,
} from '../invariants/dependants.ts';
import { reviewDefinitions } from '../review/definition-review.ts';
import type { ReviewRows as Review } from '../review/reviewers.ts';
import { withRowLabels } from '../review/row-labels.ts';
import { refusalOf } from '../review/row-review.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import { command } from '../runtime/commands.ts';
import type { RowsDecision } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { governs, openEver, openFor } from './crosswalk-access.ts';
import {
  abandonCrosswalk,
  type CrosswalkFields,
  type CrosswalkLabels,
  changeCrosswalk,
  defineCrosswalk,
  type HeaderVerb,
  isAbandoned,
  reviewHeader,
} from './decider.ts';

const typeOf = async (x: Execution, dataSet: DataSet) =>
  requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);

/** What the commands on a header answer: its status and the revision the command led to. */
function answer(x: Execution, id: number, status = 200) {
  const state = x.after(kinds.crosswalk, streams.crosswalk(id));
  return {
    status,
    body: {
      id,
      name: state?.value.name ?? '',
      approvalStatus: state?.approvalStatus ?? 'DRAFT',
      deletionRequested: state?.deletionRequested ?? false,
      deleted: state?.deleted ?? true,
      revision: state?.revision ?? 0,
    },
  };
}

/** A definition and the two ends it leans on. */
interface Drawn {
  definition: Omit<CrosswalkDefinition, 'id'>;
  ends: End[];
}

export const define = command<{ body: DefineCrosswalk }>('DefineCrosswalk', async (x, { body }) => {
  const id = await x.allocateOne('crosswalk_ids');
  const by = { kind: 'crosswalk', id } as const;
  let drawn: Drawn | undefined;
  try {
    drawn = await draw(x, body);
    const { definition, ends } = drawn;
    await registerEnds(x, by, ends);
    await x.change(kinds.crosswalk, streams.crosswalk(id), governs(definition), (crosswalk) =>
      defineCrosswalk(crosswalk, { ...definition, id }),
    );
  } catch (error) {
    if (error instanceof Refusal && drawn) await free(x, id, drawn);
    throw error;
  }
  return answer(x, id, 201);
});

async function draw(x: Execution, body: DefineCrosswalk): Promise<Drawn> {
  const source = await dataSetFor(x, body.sourceSystemId);
  const target = await dataSetFor(x, body.targetSystemId, 'READ');
  if (source.id === target.id) {
    throw new Refusal('INVALID', 'A crosswalk maps between two data sets: choose another target');
  }
  const [sourceType, targetType] = [await typeOf(x, source), await typeOf(x, target)];
  const sourceFieldId = fieldNamed(sourceType, body.sourceAttribute).fieldId;
  const targetFieldId = fieldNamed(targetType, body.targetAttribute).fieldId;
  const { name, description, similarityThreshold, cardinality, unmapped } = body;
  return {
    definition: {
      name,
      description,
      similarityThreshold,
      cardinality,
      unmapped,
      sourceSystemId: source.id,
      targetSystemId: target.id,
      sourceFieldId,
      targetFieldId,
      ...labelFieldIds([sourceType, targetType], body),
    },
    ends: [
      { dataSetId: source.id, typeId: source.typeId, fieldId: sourceFieldId },
      { dataSetId: target.id, typeId: target.typeId, fieldId: targetFieldId },
    ],
  };
}

/** The ids of the label fields that are named; null clears a choice, what is left out stays as it is. */
function labelFieldIds(
  [source, target]: [ReferenceType, ReferenceType],
  { sourceLabelField, targetLabelField }: Pick<ChangeCrosswalk, 'sourceLabelField' | 'targetLabelField'>,
): CrosswalkLabels {
  const idOf = (type: ReferenceType, name: string | null) => (name === null ? null : fieldNamed(type, name).fieldId);
  return {
    ...(sourceLabelField === undefined ? {} : { sourceLabelFieldId: idOf(source, sourceLabelField) }),
    ...(targetLabelField === undefined ? {} : { targetLabelFieldId: idOf(target, targetLabelField) }),
  };
}

/** Gives back what a refused creation registered, after closing the crosswalk's stream to a late creator. */
export async function free(x: Execution, id: number, { definition, ends }: Drawn): Promise<void> {
  const { sourceSystemId, targetSystemId } = definition;
  const { abandoned } = await x.change(kinds.crosswalk, streams.crosswalk(id), governs(definition), (crosswalk) =>
    abandonCrosswalk(crosswalk, { id, sourceSystemId, targetSystemId }),
  );
  if (abandoned) await unregisterEnds(x, { kind: 'crosswalk', id }, ends);
}

export const endsOf = (x: Execution, definition: Omit<CrosswalkDefinition, 'id'>): Promise<End[]> =>
  loadEnds(x, [
    [definition.sourceSystemId, definition.sourceFieldId],
    [definition.targetSystemId, definition.targetFieldId],
  ]);

export const change = command<{ id: number; body: ChangeCrosswalk; seen?: number }>(
  'ChangeCrosswalk',
  async (x, { id, body, seen }) => {
    const { crosswalk, governedBy } = await openFor(x, id);
    const { sourceAttribute, targetAttribute, sourceLabelField, targetLabelField, ...details } = body;
    const ends = await endsOf(x, crosswalk.value);
    const types = await typesOf(x, ends);
    const fields = attributes(types, ends, sourceAttribute, targetAttribute);
    const labels = labelFieldIds(types, { sourceLabelField, targetLabelField });
    const wanted = fields ? withFields(ends, fields) : [];
    await registerEnds(x, { kind: 'crosswalk', id }, wanted);
    try {
      const { before } = await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) =>
        changeCrosswalk(state, { ...details, ...labels }, fields, seen),
      );
      await releaseFields(x, id, fields ? withFields(ends, before) : []);
    } catch (error) {
      if (error instanceof Refusal) await releaseFields(x, id, wanted);
      throw error;
    }
    return answer(x, id);
  },
);

async function typesOf(x: Execution, [source, target]: readonly End[]): Promise<[ReferenceType, ReferenceType]> {
  const load = async (end: End) =>
    requireType((await x.load(kinds.referenceType, streams.referenceType(end.typeId))).state);
  return [await load(source as End), await load(target as End)];
}

function attributes(
  [sourceType, targetType]: [ReferenceType, ReferenceType],
  [from, to]: readonly End[],
  source: string | undefined,
  target: string | undefined,
): CrosswalkFields | undefined {
  if (source === undefined && target === undefined) return undefined;
  const named = (type: ReferenceType, end: End | undefined, name: string | undefined) =>
    name === undefined ? (end as End).fieldId : fieldNamed(type, name).fieldId;
  return { sourceFieldId: named(sourceType, from, source), targetFieldId: named(targetType, to, target) };
}

const withFields = ([from, to]: readonly End[], fields: CrosswalkFields): End[] => [
  { ...(from as End), fieldId: fields.sourceFieldId },
  { ...(to as End), fieldId: fields.targetFieldId },
];

/** Frees those of these fields that the crosswalk does not lean on now: left behind by an edit, or never taken. */
async function releaseFields(x: Execution, id: number, ends: readonly End[]): Promise<void> {
  if (ends.length === 0) return;
  const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  const held = state && !state.deleted ? await endsOf(x, state.value) : [];
  // A field's id is a number within its type.
  const isHeld = (end: End) => held.some(({ typeId, fieldId }) => typeId === end.typeId && fieldId === end.fieldId);
  for (const end of ends) {
    if (isHeld(end)) continue;
    await x.change(kinds.referenceType, streams.referenceType(end.typeId), [], (type) =>
      unreferenceField(type, end.fieldId, { kind: 'crosswalk', id }),
    );
  }
}

/**
 * Takes a decision that returns the crosswalk to a definition that it had. Its fields were let go with the edit: they are
 * leant on before it comes back, and whichever it does not have afterwards are freed.
 */
export async function returning(
  x: Execution,
  id: number,
  to: CrosswalkDefinition,
  governedBy: readonly number[],
  decide: (crosswalk: Crosswalk | undefined) => RowsDecision<CrosswalkEvent>,
): Promise<RowOutcome[]> {
  const ends = await endsOf(x, to);
  for (const { typeId, fieldId } of ends) {
    await x.change(kinds.referenceType, streams.referenceType(typeId), [], (type) =>
      referenceField(type, fieldId, { kind: 'crosswalk', id }),
    );
  }
  // As the decision found it, which in a repetition is not what there is now.
  let left: readonly End[] = [];
  try {
    const outcomes = await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (crosswalk) => {
      if (crosswalk) left = withFields(ends, crosswalk.value);
      return decide(crosswalk);
    });
    await releaseFields(x, id, [...ends, ...left]);
    return outcomes;
  } catch (error) {
    if (error instanceof Refusal) await releaseFields(x, id, ends);
    throw error;
  }
}

export const reviewCrosswalk = command<{ id: number; verb: HeaderVerb; comment?: string; seen?: number }>(
  'ReviewCrosswalk',
  async (x, { id, verb, comment, seen }) => {
    const results = await reviewHeaderRow(x, verb, id, seen, comment);
    const only = results[0];
    if (only?.outcome === 'refused') throw refusalOf(only);
    const { body } = answer(x, id);
    // Named, so that it can be undone.
    return { body: { ...body, commandId: x.meta.commandId } };
  },
);

/** The same verb on many of them, each answered for itself. */
export const reviewCrosswalks = command<{ verb: HeaderVerb; body: ReviewRows }>(
  'ReviewCrosswalks',
  (x, { verb, body }) =>
    reviewDefinitions(x, verb, body, {
      kind: 'crosswalks',
      stream: streams.crosswalk,
      governanceOf: openEver,
      review: async (each, wanted, { id, revision }, comment) => {
        const outcomes = await reviewHeaderRow(each, wanted, id, revision, comment);
        return withRowLabels(each, kinds.crosswalk, streams.crosswalk(id), outcomes, (state) => state?.value.name);
      },
    }),
);

async function reviewHeaderRow(
  x: Execution,
  verb: HeaderVerb,
  id: number,
  revision: number | undefined,
  comment: string | undefined,
): Promise<RowOutcome[]> {
  const { crosswalk, by, governedBy } = await openEver(x, id);
  const hasServedValues = verb === 'delete' && (await anyServed(x, id));
  const decide = (state: Crosswalk | undefined) =>
    reviewHeader(state, verb, by, { revision, comment, hasServedValues });
  const change = () => x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, decide);
  const may = hasLevel(by.level, HEADER_LEVEL[verb]);
  const comesBack = verb === 'restore' && may && crosswalk.deleted && !isAbandoned(crosswalk);
  const results =
    verb === 'discard' && crosswalk.served && may
      ? await returning(x, id, crosswalk.served, governedBy, decide)
      : await (comesBack ? revivingCrosswalk(x, crosswalk, change) : change());
  const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  if (state?.deleted) await unregisterEnds(x, { kind: 'crosswalk', id }, await endsOf(x, state.value));
  return results;
}

/** Takes a decision that brings a deleted crosswalk back. */
export async function revivingCrosswalk<Result>(
  x: Execution,
  { id, value }: Crosswalk,
  decide: () => Promise<Result>,
): Promise<Result> {
  const isGone = async () => (await x.load(kinds.crosswalk, streams.crosswalk(id))).state?.deleted ?? true;
  return restoreWithEnds(x, { kind: 'crosswalk', id }, await endsOf(x, value), isGone, decide);
}

async function anyServed(x: Execution, id: number): Promise<boolean> {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    for (const row of state.rows.values()) if (row.served !== null) return true;
  }
  return false;
}

/** How the approvals dashboard reviews crosswalks. */
export const reviewHeaderItems: Review = async (x, verb, parentId, rows, comment) => {
  const results: RowOutcome[] = [];
  for (const { id, revision } of rows) {
    // A header is its own parent: under another's name nothing is decided.
    if (id !== parentId)
      results.push({ id, outcome: 'refused', code: 'NOT_FOUND', message: REVIEW_REFUSALS.NOT_FOUND });
    else {
      const decide = () => reviewHeaderRow(x, verb, id, revision, comment);
      results.push(...(await x.piece(streams.crosswalk(id), decide)));
    }
  }
  return results;
};
