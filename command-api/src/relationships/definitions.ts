/** Commands on relationship definitions. */
import {
  activeAttributes,
  BUCKETS,
  type ChangeAttribute,
  type ChangeRelationship,
  DEFINITION_LEVEL,
  type DefineAttribute,
  type DefineRelationship,
  hasLevel,
  Refusal,
  type Relationship,
  type RelationshipDefinition,
  type RelationshipEvent,
  type RowOutcome,
  streams,
} from '@rdm/contracts';
import { changeWithEnds, createWithEnds, type DefinitionKind, type End } from '../invariants/definition-ends.ts';
import { fieldNamed, requireType } from '../invariants/dependants.ts';
import { definitionReview } from '../review/definition-review.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import { command } from '../runtime/commands.ts';
import type { Decision } from '../runtime/decision.ts';
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

export const relationshipKind: DefinitionKind<Relationship, RelationshipEvent> = {
  referrer: 'relationship',
  streamKind: kinds.relationship,
  stream: streams.relationship,
  endFieldsOf: ({ sourceDataSetId, sourceFieldId, targetDataSetId, targetFieldId }) => [
    [sourceDataSetId, sourceFieldId],
    [targetDataSetId, targetFieldId],
  ],
};

export interface RelationshipAccess extends Governance {
  relationship: Relationship;
}

const UNKNOWN = 'This relationship does not exist';

/** Loads a relationship; throws NOT_FOUND if it is missing or deleted, or if the user cannot read both ends. */
export async function loadRelationship(x: Execution, id: number): Promise<RelationshipAccess> {
  const access = await loadRelationshipOrDeleted(x, id);
  existingRelationship(access.relationship);
  return access;
}

/**
 * Like `loadRelationship`, but accepts a deleted relationship: the command may restore it, or an earlier run of the
 * command deleted it.
 */
export async function loadRelationshipOrDeleted(x: Execution, id: number): Promise<RelationshipAccess> {
  const { state: relationship } = await x.load(kinds.relationship, streams.relationship(id));
  if (!relationship) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  return { relationship, ...(await loadGovernance(x, sourceDataSetId, targetDataSetId, UNKNOWN)) };
}

/** Like `loadRelationship`, but requires the level of the route on the source. */
export const requireRelationship = async (x: Execution, id: number): Promise<RelationshipAccess> =>
  requireSourceLevel(x, await loadRelationship(x, id));

/** Like `requireRelationship`, but accepts deleted relationships, to undo a deletion. */
export const requireRelationshipOrDeleted = async (x: Execution, id: number): Promise<RelationshipAccess> =>
  requireSourceLevel(x, await loadRelationshipOrDeleted(x, id));

/** The answer of a command: the state of the relationship after the command. */
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

async function loadEnd(x: Execution, dataSetId: number, field: string, needed?: 'READ'): Promise<End> {
  const dataSet = await dataSetFor(x, dataSetId, needed);
  const type = requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);
  return { dataSetId, typeId: dataSet.typeId, fieldId: fieldNamed(type, field).fieldId };
}

export const define = command<{ body: DefineRelationship }>('DefineRelationship', async (x, { body }) => {
  const id = await x.allocateOne('relationship_ids');
  const { sourceField, targetField, ...rest } = body;
  const source = await loadEnd(x, body.sourceDataSetId, sourceField);
  const target = await loadEnd(x, body.targetDataSetId, targetField, 'READ');
  const definition = { ...rest, id, sourceFieldId: source.fieldId, targetFieldId: target.fieldId };
  await createRelationship(x, definition, [source, target], (state) => defineRelationship(state, definition));
  return answer(x, id, { status: 201 });
});

export const createRelationship = (
  x: Execution,
  { id, sourceDataSetId, targetDataSetId }: RelationshipDefinition,
  ends: readonly End[],
  decide: (relationship: Relationship | undefined) => Decision<RelationshipEvent>,
): Promise<void> =>
  createWithEnds(x, relationshipKind, id, ends, decide, (relationship) =>
    abandonRelationship(relationship, { id, sourceDataSetId, targetDataSetId }),
  );

// Stored commands call the expected revision `seen`.
export const change = command<{ id: number; body: ChangeRelationship; seen?: number }>(
  'ChangeRelationship',
  async (x, { id, body, seen: expectedRevision }) => {
    const { governedBy } = await requireRelationship(x, id);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      changeRelationship(state, body, expectedRevision),
    );
    return answer(x, id);
  },
);

export const addAttribute = command<{ id: number; body: DefineAttribute; seen?: number }>(
  'DefineRelationshipAttribute',
  async (x, { id, body, seen: expectedRevision }) => {
    const { governedBy } = await requireRelationship(x, id);
    const { attributeId } = await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      defineAttribute(state, body, expectedRevision),
    );
    return answer(x, id, { status: 201, attributeId });
  },
);

export const editAttribute = command<{ id: number; body: ChangeAttribute; seen?: number }>(
  'ChangeRelationshipAttribute',
  async (x, { id, body, seen: expectedRevision }) => {
    const { governedBy, relationship } = await requireRelationship(x, id);
    const pendingCount = body.name === undefined ? 0 : await countPendingWith(x, relationship, body.id);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      changeAttribute(state, body, expectedRevision, pendingCount),
    );
    return answer(x, id, { attributeId: body.id });
  },
);

export const dropAttribute = command<{ id: number; attributeId: number; seen?: number }>(
  'RemoveRelationshipAttribute',
  async (x, { id, attributeId, seen: expectedRevision }) => {
    const { governedBy, relationship } = await requireRelationship(x, id);
    const pendingCount = await countPendingWith(x, relationship, attributeId);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      removeAttribute(state, attributeId, expectedRevision, pendingCount),
    );
    return answer(x, id, { attributeId });
  },
);

/**
 * The number of pending relationship values with a cell of the attribute. Does not count a value whose submission runs
 * concurrently.
 */
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

/** Deletes or restores a relationship, or reviews its deletion. A deletion needs a review if a value was ever approved. */
async function reviewRelationship(
  x: Execution,
  verb: DeletionVerb,
  id: number,
  revision: number | undefined,
  comment: string | undefined,
): Promise<RowOutcome[]> {
  const { by, governedBy, relationship } = await loadRelationshipOrDeleted(x, id);
  const hasBeenApproved = verb === 'delete' && relationship.hasValues && (await wasAnyValueApproved(x, id));
  const isAllowed = hasLevel(by.level, DEFINITION_LEVEL[verb]);
  const isRestored = verb === 'restore' && isAllowed && relationship.deleted && !isAbandoned(relationship);
  return changeWithEnds(x, relationshipKind, relationship, isRestored, () =>
    x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      reviewDeletion(state, verb, by, { revision, comment, hasBeenApproved }),
    ),
  );
}

async function wasAnyValueApproved(x: Execution, id: number): Promise<boolean> {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    if (state.hasBeenApproved) return true;
  }
  return false;
}

export const relationshipReview = definitionReview<Relationship, RelationshipEvent, DeletionVerb>({
  commands: { one: 'ReviewRelationshipDeletion', many: 'ReviewRelationshipDeletions' },
  kind: 'relationships',
  definitionKind: relationshipKind,
  governanceOf: loadRelationshipOrDeleted,
  review: reviewRelationship,
  answer,
});

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
