/** Commands on crosswalks: permissions, the order of stream changes, and answers. */
import {
  BUCKETS,
  type ChangeCrosswalk,
  type Crosswalk,
  type CrosswalkDefinition,
  type CrosswalkEvent,
  type DataSet,
  DEFINITION_LEVEL,
  type DefineCrosswalk,
  hasLevel,
  type ReferenceType,
  Refusal,
  type RowOutcome,
  streams,
} from '@rdm/contracts';
import { changeWithEnds, createWithEnds, type End, endsOf, registerEnds } from '../invariants/definition-ends.ts';
import { fieldNamed, referenceField, requireType, unreferenceField } from '../invariants/dependants.ts';
import { definitionReview } from '../review/definition-review.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import { command } from '../runtime/commands.ts';
import type { RowsDecision } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { crosswalkKind, loadCrosswalkOrDeleted, requireCrosswalk } from './crosswalk-access.ts';
import {
  abandonCrosswalk,
  type CrosswalkFields,
  type CrosswalkLabels,
  changeCrosswalk,
  type DefinitionVerb,
  defineCrosswalk,
  isAbandoned,
  reviewDefinition,
} from './decider.ts';

const typeOf = async (x: Execution, dataSet: DataSet) =>
  requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);

/** The answer of a command on a crosswalk: the state after the command. */
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

export const define = command<{ body: DefineCrosswalk }>('DefineCrosswalk', async (x, { body }) => {
  const id = await x.allocateOne('crosswalk_ids');
  const { definition, ends } = await resolveDefinition(x, id, body);
  await createCrosswalk(x, definition, ends);
  return answer(x, id, 201);
});

export const createCrosswalk = (x: Execution, definition: CrosswalkDefinition, ends: readonly End[]): Promise<void> => {
  const { id, sourceSystemId, targetSystemId } = definition;
  return createWithEnds(
    x,
    crosswalkKind,
    id,
    ends,
    (crosswalk) => defineCrosswalk(crosswalk, definition),
    (crosswalk) => abandonCrosswalk(crosswalk, { id, sourceSystemId, targetSystemId }),
  );
};

/** Resolves the named fields of a new crosswalk; returns its definition and its two ends. */
async function resolveDefinition(
  x: Execution,
  id: number,
  body: DefineCrosswalk,
): Promise<{ definition: CrosswalkDefinition; ends: End[] }> {
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
      id,
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

/** The ids of the label fields to change; null clears a label field, and an omitted label field stays. */
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

// Stored commands call the expected revision `seen`.
export const change = command<{ id: number; body: ChangeCrosswalk; seen?: number }>(
  'ChangeCrosswalk',
  async (x, { id, body, seen: expectedRevision }) => {
    const { crosswalk, governedBy } = await requireCrosswalk(x, id);
    const { sourceAttribute, targetAttribute, sourceLabelField, targetLabelField, ...details } = body;
    const ends = await endsOf(x, crosswalkKind, crosswalk.value);
    const types = await typesOf(x, ends);
    const fields = changedFields(types, ends, sourceAttribute, targetAttribute);
    const labels = labelFieldIds(types, { sourceLabelField, targetLabelField });
    const newEnds = fields ? withFields(ends, fields) : [];
    await registerEnds(x, { kind: 'crosswalk', id }, newEnds);
    try {
      const { before } = await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) =>
        changeCrosswalk(state, { ...details, ...labels }, fields, expectedRevision),
      );
      await releaseFields(x, id, fields ? withFields(ends, before) : []);
    } catch (error) {
      if (error instanceof Refusal) await releaseFields(x, id, newEnds);
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

function changedFields(
  [sourceType, targetType]: [ReferenceType, ReferenceType],
  [sourceEnd, targetEnd]: readonly End[],
  sourceName: string | undefined,
  targetName: string | undefined,
): CrosswalkFields | undefined {
  if (sourceName === undefined && targetName === undefined) return undefined;
  const fieldIdOf = (type: ReferenceType, end: End | undefined, name: string | undefined) =>
    name === undefined ? (end as End).fieldId : fieldNamed(type, name).fieldId;
  return {
    sourceFieldId: fieldIdOf(sourceType, sourceEnd, sourceName),
    targetFieldId: fieldIdOf(targetType, targetEnd, targetName),
  };
}

const withFields = ([source, target]: readonly End[], fields: CrosswalkFields): End[] => [
  { ...(source as End), fieldId: fields.sourceFieldId },
  { ...(target as End), fieldId: fields.targetFieldId },
];

/**
 * Unregisters the fields of `ends` that the crosswalk does not use: replaced fields, or the new fields of a refused
 * change.
 */
async function releaseFields(x: Execution, id: number, ends: readonly End[]): Promise<void> {
  if (ends.length === 0) return;
  const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  const usedEnds = state && !state.deleted ? await endsOf(x, crosswalkKind, state.value) : [];
  // Field ids are unique only within a type.
  const isUsed = (end: End) => usedEnds.some(({ typeId, fieldId }) => typeId === end.typeId && fieldId === end.fieldId);
  for (const end of ends) {
    if (isUsed(end)) continue;
    await x.change(kinds.referenceType, streams.referenceType(end.typeId), [], (type) =>
      unreferenceField(type, end.fieldId, { kind: 'crosswalk', id }),
    );
  }
}

/**
 * Restores an earlier definition of the crosswalk. Registers the fields of this definition again, because the
 * change that replaced a field has unregistered the field.
 */
export async function restoreDefinition(
  x: Execution,
  id: number,
  to: CrosswalkDefinition,
  governedBy: readonly number[],
  decide: (crosswalk: Crosswalk | undefined) => RowsDecision<CrosswalkEvent>,
): Promise<RowOutcome[]> {
  const ends = await endsOf(x, crosswalkKind, to);
  for (const { typeId, fieldId } of ends) {
    await x.change(kinds.referenceType, streams.referenceType(typeId), [], (type) =>
      referenceField(type, fieldId, { kind: 'crosswalk', id }),
    );
  }
  // Set in the decision, which gets the state before the command even if the command runs again after a crash.
  let fieldsBefore: readonly End[] = [];
  try {
    const outcomes = await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (crosswalk) => {
      if (crosswalk) fieldsBefore = withFields(ends, crosswalk.value);
      return decide(crosswalk);
    });
    await releaseFields(x, id, [...ends, ...fieldsBefore]);
    return outcomes;
  } catch (error) {
    if (error instanceof Refusal) await releaseFields(x, id, ends);
    throw error;
  }
}

async function reviewCrosswalk(
  x: Execution,
  verb: DefinitionVerb,
  id: number,
  revision: number | undefined,
  comment: string | undefined,
): Promise<RowOutcome[]> {
  const { crosswalk, by, governedBy } = await loadCrosswalkOrDeleted(x, id);
  const hasServedValues = verb === 'delete' && crosswalk.hasValues && (await isAnyMappingServed(x, id));
  const decide = (state: Crosswalk | undefined) =>
    reviewDefinition(state, verb, by, { revision, comment, hasServedValues });
  const isAllowed = hasLevel(by.level, DEFINITION_LEVEL[verb]);
  const isRestored = verb === 'restore' && isAllowed && crosswalk.deleted && !isAbandoned(crosswalk);
  const definitionToRestore = verb === 'discard' && isAllowed ? crosswalk.served : null;
  return changeWithEnds(x, crosswalkKind, crosswalk, isRestored, () =>
    definitionToRestore
      ? restoreDefinition(x, id, definitionToRestore, governedBy, decide)
      : x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, decide),
  );
}

async function isAnyMappingServed(x: Execution, id: number): Promise<boolean> {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    for (const row of state.rows.values()) if (row.served !== null) return true;
  }
  return false;
}

export const crosswalkReview = definitionReview<Crosswalk, CrosswalkEvent, DefinitionVerb>({
  commands: { one: 'ReviewCrosswalk', many: 'ReviewCrosswalks' },
  kind: 'crosswalks',
  definitionKind: crosswalkKind,
  governanceOf: loadCrosswalkOrDeleted,
  review: reviewCrosswalk,
  answer,
});
