/** Commands of relationship definitions: who may, in which order the streams change, what is answered. */
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

export interface Opened extends Governance {
  relationship: Relationship;
}

const UNKNOWN = 'This relationship does not exist';

/** Opens a relationship whose source and target the actor may read; others do not know it exists. */
export async function open(x: Execution, id: number): Promise<Opened> {
  const opened = await openEver(x, id);
  existingRelationship(opened.relationship);
  return opened;
}

/** The same, also where it was deleted: by this very command, perhaps, whose answer was lost. */
export async function openEver(x: Execution, id: number): Promise<Opened> {
  const { state: relationship } = await x.load(kinds.relationship, streams.relationship(id));
  if (!relationship) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { sourceDataSetId, targetDataSetId } = relationship.value;
  return { relationship, ...(await loadGovernance(x, sourceDataSetId, targetDataSetId, UNKNOWN)) };
}

/** Opens a relationship for somebody with the declared level on its source. */
export const openFor = async (x: Execution, id: number): Promise<Opened> => requireSourceLevel(x, await open(x, id));

/** The same, also where it was deleted: whoever takes that back. */
export const openEverFor = async (x: Execution, id: number): Promise<Opened> =>
  requireSourceLevel(x, await openEver(x, id));

/** What the commands on a definition answer: it as the command left it. */
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
    await x.change(kinds.relationship, streams.relationship(id), governs(body), (state) =>
      defineRelationship(state, definition),
    );
  } catch (error) {
    if (error instanceof Refusal && ends) await free(x, id, body, ends);
    throw error;
  }
  return answer(x, id, { status: 201 });
});

const governs = (said: { sourceDataSetId: number; targetDataSetId: number }) => [
  said.sourceDataSetId,
  said.targetDataSetId,
];

async function free(x: Execution, id: number, body: DefineRelationship, ends: End[]): Promise<void> {
  const { sourceDataSetId, targetDataSetId } = body;
  const { abandoned } = await x.change(kinds.relationship, streams.relationship(id), governs(body), (state) =>
    abandonRelationship(state, { id, sourceDataSetId, targetDataSetId }),
  );
  if (abandoned) await unregisterEnds(x, { kind: 'relationship', id }, ends);
}

export const change = command<{ id: number; body: ChangeRelationship; seen?: number }>(
  'ChangeRelationship',
  async (x, { id, body, seen }) => {
    const { governedBy } = await openFor(x, id);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      changeRelationship(state, body, seen),
    );
    return answer(x, id);
  },
);

export const addAttribute = command<{ id: number; body: DefineAttribute; seen?: number }>(
  'DefineRelationshipAttribute',
  async (x, { id, body, seen }) => {
    const { governedBy } = await openFor(x, id);
    const { attributeId } = await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      defineAttribute(state, body, seen),
    );
    return answer(x, id, { status: 201, attributeId });
  },
);

export const editAttribute = command<{ id: number; body: ChangeAttribute; seen?: number }>(
  'ChangeRelationshipAttribute',
  async (x, { id, body, seen }) => {
    const { governedBy, relationship } = await openFor(x, id);
    const underReview = body.name === undefined ? 0 : await reviewedUnder(x, relationship, body.id);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      changeAttribute(state, body, seen, underReview),
    );
    return answer(x, id, { attributeId: body.id });
  },
);

export const dropAttribute = command<{ id: number; attributeId: number; seen?: number }>(
  'RemoveRelationshipAttribute',
  async (x, { id, attributeId, seen }) => {
    const { governedBy, relationship } = await openFor(x, id);
    const underReview = await reviewedUnder(x, relationship, attributeId);
    await x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      removeAttribute(state, attributeId, seen, underReview),
    );
    return answer(x, id, { attributeId });
  },
);

/** How many values under review say something under an attribute; one that is submitted at the same moment is not seen. */
async function reviewedUnder(x: Execution, { id, hasValues }: Relationship, attributeId: number): Promise<number> {
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
    // Named, so that it can be undone.
    return { body: { ...body, commandId: x.meta.commandId } };
  },
);

/** The same verb on many of them, each answered for itself. */
export const reviewRelationships = command<{ verb: DeletionVerb; body: ReviewRows }>(
  'ReviewRelationshipDeletions',
  (x, { verb, body }) =>
    reviewDefinitions(x, verb, body, {
      kind: 'relationships',
      stream: streams.relationship,
      governanceOf: openEver,
      review: async (each, wanted, { id, revision }, comment) => {
        const outcomes = await reviewDeletionRow(each, wanted, id, revision, comment);
        return withRowLabels(
          each,
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
  const { by, governedBy, relationship } = await openEver(x, id);
  const hasBeenApproved = verb === 'delete' && relationship.hasValues && (await anyApproved(x, id));
  const change = () =>
    x.change(kinds.relationship, streams.relationship(id), governedBy, (state) =>
      reviewDeletion(state, verb, by, { revision, comment, hasBeenApproved }),
    );
  const may = hasLevel(by.level, HEADER_LEVEL[verb]);
  const comesBack = verb === 'restore' && may && relationship.deleted && !isAbandoned(relationship);
  const results = await (comesBack ? revivingRelationship(x, relationship, change) : change());
  const { state } = await x.load(kinds.relationship, streams.relationship(id));
  if (state?.deleted) await unregisterEnds(x, { kind: 'relationship', id }, await endsOf(x, state.value));
  return results;
}

/** Takes a decision that brings a deleted relationship back. */
export async function revivingRelationship<Result>(
  x: Execution,
  { id, value }: Relationship,
  decide: () => Promise<Result>,
): Promise<Result> {
  const isGone = async () => (await x.load(kinds.relationship, streams.relationship(id))).state?.deleted ?? true;
  return restoreWithEnds(x, { kind: 'relationship', id }, await endsOf(x, value), isGone, decide);
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

/** How the approvals dashboard reviews deletions of relationships. */
export const reviewRelationshipItems: Review = async (x, verb, parentId, rows, comment) => {
  const results: RowOutcome[] = [];
  for (const { id, revision } of rows) {
    // A definition is its own parent: under another's name nothing is decided.
    if (id !== parentId)
      results.push({ id, outcome: 'refused', code: 'NOT_FOUND', message: REVIEW_REFUSALS.NOT_FOUND });
    else {
      const decide = () => reviewDeletionRow(x, verb, id, revision, comment);
      results.push(...(await x.piece(streams.relationship(id), decide)));
    }
  }
  return results;
};

/** What of a relationship its values are held against. */
export const valueRules = (relationship: Relationship) => ({
  cardinality: relationship.value.cardinality,
  refusesSelf:
    relationship.value.sourceDataSetId === relationship.value.targetDataSetId &&
    !relationship.value.allowSelfRelationship,
  required: activeAttributes(relationship)
    .filter(({ isRequired }) => isRequired)
    .map(({ attributeId, name }) => ({ attributeId, name })),
});
