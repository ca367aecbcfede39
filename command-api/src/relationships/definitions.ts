/** Commands on relationships: permissions, the order of stream changes, and answers. */
import {
  activeAttributes,
  BUCKETS,
  type ChangeAttribute,
  type ChangeRelationship,
  type DefineAttribute,
  type DefineRelationship,
  HEADER_LEVEL,
  hasLevel,
  REVIEW_REFUSALS,
  Refusal,
  type Relationship,
  type RelationshipDefinition,
  type ReviewRows,
  type RowOutcome,
  streams,
} from '@rdm/contracts';
import {
  type End,
  fieldNamed,
  loadEnds,
  registerEnds,
  requireType,
  restoreWithEnds,
  unregisterEnds,
} from '../invariants/dependants.ts';
import { reviewDefinitions } from '../review/definition-review.ts';
import type { ReviewRows as Review } from '../review/reviewers.ts';
import { withRowLabels } from '../review/row-labels.ts';
import { refusalOf } from '../review/row-review.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { type Governance, loadGovernance, requireSourceLevel } from '../runtime/governance.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import {
  abandonRelationship,
  changeAttribute,
  changeRelationship,
  type DeletionVerb,
  defineAttribute,
  defineRelationship,
  existingRelationship,
  isAbandoned,
  removeAttribute,
  reviewDeletion,
} from './decider.ts';

export interface RelationshipAccess extends Governance {
  relationship: Relationship;
}

const UNKNOWN = 'This relationship does not exist';

/** Loads a relationship whose source and target the user can read; otherwise throws NOT_FOUND. */
export async function loadRelationship(x: Execution, id: number): Promise<RelationshipAccess> {
  const access = await loadRelationshipOrDeleted(x, id);
  existingRelationship(access.relationship);
  return access;
}

/** The same, including deleted ones: this command may have deleted it in an earlier run. */
export async function loadRelationshipOrDeleted(x: Execution, id: number): Promise<RelationshipAccess> {
  const { state: relationship } = await x.load(kinds.relationship, streams.relationship(id));
  if (!relationship) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  return { relationship, ...(await loadGovernance(x, sourceDataSetId, targetDataSetId, UNKNOWN)) };
}

/** Loads a relationship on whose source the user has the route's level. */
export const requireRelationship = async (x: Execution, id: number): Promise<RelationshipAccess> =>
  requireSourceLevel(x, await loadRelationship(x, id));

/** The same, including deleted ones, to undo a deletion. */
export const requireRelationshipOrDeleted = async (x: Execution, id: number): Promise<RelationshipAccess> =>
  requireSourceLevel(x, await loadRelationshipOrDeleted(x, id));

/** The answer of a command on a relationship: the state after the command. */
function answer(x: Execution, id: number, { status = 200, ...more }: { status?: number; attributeId?: number } = {}) {
  const state = x.after(kinds.relationship, streams.relationship(id));
  return {
    status,
    body: {
      id,
      name: state?.value.name ?? '',
      deletionRequested: state?.deletionRequested ?? false,
      deleted: state?.deleted ?? true,
      revision: state?.revision ?? 0,
      ...more,
    },
  };
}

async function end(x: Execution, dataSetId: number, field: string, needed?: 'READ'): Promise<End> {
  const dataSet = await dataSetFor(x, dataSetId, needed);
  const type = requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);
  return { dataSetId, typeId: dataSet.typeId, fieldId: fieldNamed(type, field).fieldId };
}

export const define = command<{ body: DefineRelationship }>('DefineRelationship', async (x, { body }) => {
  const id = await x.allocateOne('relationship_ids');
  const { sourceField, targetField, ...rest } = body;
  let ends: End[] | undefined;
  try {
    const source = await end(x, body.sourceDataSetId, sourceField);
    const target = await end(x, body.targetDataSetId, targetField, 'READ');
    const definition: RelationshipDefinition = {
      ...rest,
      id,
      sourceFieldId: source.fieldId,
      targetFieldId: target.fieldId,
    };
    ends = [source, target];
    await registerEnds(x, { kind: 'relationship', id }, ends);
    await x.change(kinds.relationship, streams.relationship(id), governingDataSets(body), (state) =>
      defineRelationship(state, definition),
    );
  } catch (error) {
    if (error instanceof Refusal && ends) await abandonCreation(x, id, body, ends);
    throw error;
  }
  return answer(x, id, { status: 201 });
});

const governingDataSets = (body: { sourceDataSetId: number; targetDataSetId: number }) => [
  body.sourceDataSetId,
  body.targetDataSetId,
];

async function abandonCreation(x: Execution, id: number, body: DefineRelationship, ends: End[]): Promise<void> {
  const { sourceDataSetId, targetDataSetId } = body;
  const { abandoned } = await x.change(kinds.relationship, streams.relationship(id), governingDataSets(body), (state) =>
    abandonRelationship(state, { id, sourceDataSetId, targetDataSetId }),
  );
  if (abandoned) await unregisterEnds(x, { kind: 'relationship', id }, ends);
}

export const change = command<{ id: number; body: ChangeRelationship; seen?: number }>(
  'ChangeRelationship',
  async (x, { id, body, seen }) => {
    const { governedBy } = await requireRelationship(x, id);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      changeRelationship(state, body, seen),
    );
    return answer(x, id);
  },
);

export const addAttribute = command<{ id: number; body: DefineAttribute; seen?: number }>(
  'DefineRelationshipAttribute',
  async (x, { id, body, seen }) => {
    const { governedBy } = await requireRelationship(x, id);
    const { attributeId } = await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      defineAttribute(state, body, seen),
    );
    return answer(x, id, { status: 201, attributeId });
  },
);

export const editAttribute = command<{ id: number; body: ChangeAttribute; seen?: number }>(
  'ChangeRelationshipAttribute',
  async (x, { id, body, seen }) => {
    const { governedBy, relationship } = await requireRelationship(x, id);
    const underReview = body.name === undefined ? 0 : await countPendingWith(x, relationship, body.id);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      changeAttribute(state, body, seen, underReview),
    );
    return answer(x, id, { attributeId: body.id });
  },
);

export const dropAttribute = command<{ id: number; attributeId: number; seen?: number }>(
  'RemoveRelationshipAttribute',
  async (x, { id, attributeId, seen }) => {
    const { governedBy, relationship } = await requireRelationship(x, id);
    const underReview = await countPendingWith(x, relationship, attributeId);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      removeAttribute(state, attributeId, seen, underReview),
    );
    return answer(x, id, { attributeId });
  },
);

/** The number of pending values with a value of the attribute; misses one that is submitted at the same moment. */
async function countPendingWith(x: Execution, { id, hasValues }: Relationship, attributeId: number): Promise<number> {
  let count = 0;
  for (let bucket = 0; hasValues && bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    for (const { approvalStatus, deleted, value } of state.rows.values()) {
      if (approvalStatus === 'PENDING' && !deleted && value.attributes[attributeId] !== undefined) count += 1;
    }
  }
  return count;
}

export const reviewRelationship = command<{ id: number; verb: DeletionVerb; comment?: string; seen?: number }>(
  'ReviewRelationshipDeletion',
  async (x, { id, verb, comment, seen }) => {
    const results = await reviewDeletionRow(x, verb, id, seen, comment);
    const only = results[0];
    if (only?.outcome === 'refused') throw refusalOf(only);
    const { body } = answer(x, id);
    // The command id is needed to undo the review.
    return { body: { ...body, commandId: x.meta.commandId } };
  },
);

/** Applies a verb to many relationships, with an outcome for each. */
export const reviewRelationships = command<{ verb: DeletionVerb; body: ReviewRows }>(
  'ReviewRelationshipDeletions',
  (x, { verb, body }) =>
    reviewDefinitions(x, verb, body, {
      kind: 'relationships',
      stream: streams.relationship,
      governanceOf: loadRelationshipOrDeleted,
      review: async (execution, rowVerb, { id, revision }, comment) => {
        const outcomes = await reviewDeletionRow(execution, rowVerb, id, revision, comment);
        return withRowLabels(
          execution,
          kinds.relationship,
          streams.relationship(id),
          outcomes,
          (state) => state?.value.name,
        );
      },
    }),
);

async function reviewDeletionRow(
  x: Execution,
  verb: DeletionVerb,
  id: number,
  revision: number | undefined,
  comment: string | undefined,
): Promise<RowOutcome[]> {
  const { by, governedBy, relationship } = await loadRelationshipOrDeleted(x, id);
  const hasBeenApproved = verb === 'delete' && relationship.hasValues && (await anyApproved(x, id));
  const change = () =>
    x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      reviewDeletion(state, verb, by, { revision, comment, hasBeenApproved }),
    );
  const isAllowed = hasLevel(by.level, HEADER_LEVEL[verb]);
  const isRestored = verb === 'restore' && isAllowed && relationship.deleted && !isAbandoned(relationship);
  const results = await (isRestored ? restoreRelationshipWithEnds(x, relationship, change) : change());
  const { state } = await x.load(kinds.relationship, streams.relationship(id));
  if (state?.deleted) await unregisterEnds(x, { kind: 'relationship', id }, await endsOf(x, state.value));
  return results;
}

/** Makes a decision that restores a deleted relationship. */
export async function restoreRelationshipWithEnds<Result>(
  x: Execution,
  { id, value }: Relationship,
  decide: () => Promise<Result>,
): Promise<Result> {
  const isDeleted = async () => (await x.load(kinds.relationship, streams.relationship(id))).state?.deleted ?? true;
  return restoreWithEnds(x, { kind: 'relationship', id }, await endsOf(x, value), isDeleted, decide);
}

async function anyApproved(x: Execution, id: number): Promise<boolean> {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    if (state.hasBeenApproved) return true;
  }
  return false;
}

export const endsOf = (x: Execution, definition: RelationshipDefinition): Promise<End[]> =>
  loadEnds(x, [
    [definition.sourceDataSetId, definition.sourceFieldId],
    [definition.targetDataSetId, definition.targetFieldId],
  ]);

/** Reviews deletions of relationships for the approvals module. */
export const reviewRelationshipItems: Review = async (x, verb, parentId, rows, comment) => {
  const results: RowOutcome[] = [];
  for (const { id, revision } of rows) {
    // A relationship is its own parent.
    if (id !== parentId)
      results.push({ id, outcome: 'refused', code: 'NOT_FOUND', message: REVIEW_REFUSALS.NOT_FOUND });
    else {
      const decide = () => reviewDeletionRow(x, verb, id, revision, comment);
      results.push(...(await x.piece(streams.relationship(id), decide)));
    }
  }
  return results;
};

/** The rules of a relationship for its values. */
export const valueRules = (relationship: Relationship) => ({
  cardinality: relationship.value.cardinality,
  refusesSelf:
    relationship.value.sourceDataSetId === relationship.value.targetDataSetId &&
    !relationship.value.allowSelfRelationship,
  required: activeAttributes(relationship)
    .filter(({ isRequired }) => isRequired)
    .map(({ attributeId, name }) => ({ attributeId, name })),
});
