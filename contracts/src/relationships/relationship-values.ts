/** Relationship values, which relate source rows to target rows: events, states, payloads and views. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type DomainEvent, type EventsOf, event } from '../events/event.ts';
import {
  type ActMetadata,
  APPROVAL_STATUSES,
  actOf,
  ChangeHistoryEntry,
  newDraft,
  type PlainFact,
  review,
  type Tracked,
  VersionMetadata,
  VersionStatus,
  VersionView,
} from '../review/approval.ts';
import { Rows, RowsWithReason, touchedRowIds, undoneRows } from '../review/reviewed-rows.ts';
import { Cell, Dates, Id, requireEachRowOnce } from '../text/fields.ts';
import { CellValue, canonicalKey } from '../text/rows.ts';
import type { Cardinality } from './relationships.ts';

/** The reviewed content of a value. `attributes` are by id, because ids never change; omitted attributes are null. */
const Content = z.object({ sourceInstanceId: Id, targetInstanceId: Id, attributes: z.record(z.string(), Cell) });
export type RelationshipValueContent = z.infer<typeof Content>;

export const relationshipValueEvents = {
  RelationshipValuesDrafted: event(z.object({ rows: z.array(Content.extend({ id: Id })) })),
  RelationshipValuesEdited: event(z.object({ rows: z.array(Content.extend({ id: Id })) })),
  RelationshipValuesSubmitted: event(Rows),
  RelationshipValuesRecalled: event(Rows),
  RelationshipValuesApproved: event(Rows),
  RelationshipValuesRejected: event(RowsWithReason),
  RelationshipValuesRevoked: event(RowsWithReason),
  RelationshipValuesDiscarded: event(Rows),
  RelationshipValuesDeletionRequested: event(Rows),
  RelationshipValuesDeleted: event(Rows),
  RelationshipValuesRestored: event(Rows),
  /** A command was undone for these values: each value gets the state in this event. */
  RelationshipValuesUndone: event(undoneRows(Content)),
};
export type RelationshipValueEvent = EventsOf<typeof relationshipValueEvents>;

export interface RelationshipValue extends Tracked<RelationshipValueContent> {
  id: number;
}

/** The ids of values by the id of the row at one end. */
type ValueIdsByInstance = Map<number, Set<number>>;

/** One bucket of a relationship's values. It is folded in place. */
export interface RelationshipValueBucket {
  rows: Map<number, RelationshipValue>;
  /** The values that are not deleted, by the source rows of their working and served pairs. */
  bySource: ValueIdsByInstance;
  /** The same values by the target rows of these pairs. */
  byTarget: ValueIdsByInstance;
  /** Whether a value was ever approved. If so, the deletion of the relationship is reviewed. */
  hasBeenApproved: boolean;
}

export const emptyRelationshipValueBucket = (): RelationshipValueBucket => ({
  rows: new Map(),
  bySource: new Map(),
  byTarget: new Map(),
  hasBeenApproved: false,
});

export interface Pair {
  sourceInstanceId: number;
  targetInstanceId: number;
}

/** The pairs that a value holds: its working pair and its served pair; none if it is deleted. */
export function heldPairs({ value, served, deleted }: RelationshipValue): Pair[] {
  if (deleted) return [];
  return served && served !== value ? [value, served] : [value];
}

/** Whether each source has at most one target. */
export const sourceIsUnique = (cardinality: Cardinality): boolean =>
  cardinality === 'MANY_TO_ONE' || cardinality === 'ONE_TO_ONE';
/** Whether each target has at most one source. */
export const targetIsUnique = (cardinality: Cardinality): boolean =>
  cardinality === 'ONE_TO_MANY' || cardinality === 'ONE_TO_ONE';

/** The end that determines the bucket of a value and so cannot change; undefined if all values share one bucket. */
export function fixedEnd(cardinality: Cardinality): keyof Pair | undefined {
  if (cardinality === 'ONE_TO_ONE') return undefined;
  return cardinality === 'ONE_TO_MANY' ? 'targetInstanceId' : 'sourceInstanceId';
}

/**
 * The key that determines the bucket of a value. Values that can violate the cardinality together are in the same
 * bucket.
 */
export function relationshipValueKey(cardinality: Cardinality, pair: Pair): string {
  const end = fixedEnd(cardinality);
  return canonicalKey(end === undefined ? [] : [pair[end]]);
}

export const RELATIONSHIP_VALUE_FACTS = {
  RelationshipValuesSubmitted: 'submitted',
  RelationshipValuesRecalled: 'recalled',
  RelationshipValuesApproved: 'approved',
  RelationshipValuesRejected: 'rejected',
  RelationshipValuesRevoked: 'revoked',
  RelationshipValuesDiscarded: 'discarded',
  RelationshipValuesDeletionRequested: 'deletionRequested',
  RelationshipValuesDeleted: 'deleted',
  RelationshipValuesRestored: 'restored',
} as const satisfies Partial<Record<RelationshipValueEvent['type'], PlainFact>>;

/** Folds one event into the value at `index` of the event; `row` is undefined for a value that is not in the bucket. */
export function evolveRelationshipValue(
  row: RelationshipValue | undefined,
  event: RelationshipValueEvent & ActMetadata,
  index: number,
): RelationshipValue | undefined {
  const act = actOf(event);
  switch (event.type) {
    case 'RelationshipValuesDrafted':
    case 'RelationshipValuesEdited': {
      const stored = event.data.rows[index];
      if (!stored) return row;
      const { id, ...value } = stored;
      if (event.type === 'RelationshipValuesDrafted') return { ...newDraft(value, act), id };
      return row && { ...row, ...review(row, { fact: 'edited', value }, act) };
    }
    case 'RelationshipValuesUndone': {
      const to = event.data.rows[index]?.to;
      return row && to ? { ...row, ...review(row, { fact: 'undone', to }, act) } : row;
    }
    default:
      return row && { ...row, ...review(row, { fact: RELATIONSHIP_VALUE_FACTS[event.type] }, act) };
  }
}

/** Folds one event into a bucket, in place. */
export function evolveRelationshipValues(
  state: RelationshipValueBucket,
  event: RelationshipValueEvent & ActMetadata,
): RelationshipValueBucket {
  touchedRowIds(event).forEach((id, index) => {
    const before = state.rows.get(id);
    const after = evolveRelationshipValue(before, event, index);
    if (!after) return;
    if (before) for (const pair of heldPairs(before)) removePair(state, pair, id);
    for (const pair of heldPairs(after)) addPair(state, pair, id);
    state.rows.set(id, after);
    if (event.type === 'RelationshipValuesApproved') state.hasBeenApproved = true;
  });
  return state;
}

function addPair({ bySource, byTarget }: RelationshipValueBucket, pair: Pair, id: number): void {
  for (const [idsByInstance, instanceId] of [
    [bySource, pair.sourceInstanceId],
    [byTarget, pair.targetInstanceId],
  ] as const) {
    const ids = idsByInstance.get(instanceId);
    if (ids) ids.add(id);
    else idsByInstance.set(instanceId, new Set([id]));
  }
}

function removePair({ bySource, byTarget }: RelationshipValueBucket, pair: Pair, id: number): void {
  for (const [idsByInstance, instanceId] of [
    [bySource, pair.sourceInstanceId],
    [byTarget, pair.targetInstanceId],
  ] as const) {
    const ids = idsByInstance.get(instanceId);
    if (ids?.delete(id) && ids.size === 0) idsByInstance.delete(instanceId);
  }
}

export const isRelationshipValueEvent = (event: DomainEvent): event is RelationshipValueEvent =>
  event.type in relationshipValueEvents;

/** Attributes by name. */
const Attributes = z.record(z.string().max(200), Cell);
/** The key of a row: its text or, for a key of several fields, a JSON array of its parts. */
const Key = z.string().min(1).max(100_000);

const NewValue = z
  .object({
    sourceInstanceId: Id.optional(),
    sourceKey: Key.optional(),
    targetInstanceId: Id.optional(),
    targetKey: Key.optional(),
    attributes: Attributes.default({}),
  })
  .refine((value) => (value.sourceInstanceId === undefined) !== (value.sourceKey === undefined), {
    error: 'Name the source by sourceInstanceId or by sourceKey',
    path: ['sourceInstanceId'],
  })
  .refine((value) => (value.targetInstanceId === undefined) !== (value.targetKey === undefined), {
    error: 'Name the target by targetInstanceId or by targetKey',
    path: ['targetInstanceId'],
  });
export type NewRelationshipValue = z.infer<typeof NewValue>;

/** POST /api/relationships/{id}/values: one value, or many as `{ rows }`, each with its own outcome. */
export const DraftRelationshipValues = z.union([
  z.object({ rows: z.array(NewValue).min(1).max(1_000) }),
  NewValue.transform((one) => ({ rows: [one] })),
]);
export type DraftRelationshipValues = z.infer<typeof DraftRelationshipValues>;

/**
 * PATCH /api/relationships/{id}/values. Omitted fields and attributes are unchanged; null clears an attribute. The end
 * that determines the bucket (`fixedEnd`) cannot be changed.
 */
export const EditRelationshipValues = z.object({
  rows: z
    .array(
      z.object({
        id: Id,
        revision: z.number().int().positive(),
        sourceInstanceId: Id.optional(),
        targetInstanceId: Id.optional(),
        attributes: Attributes.optional(),
      }),
    )
    .min(1)
    .max(1_000)
    .superRefine(requireEachRowOnce),
});
export type EditRelationshipValues = z.infer<typeof EditRelationshipValues>;

/** The tabs of the list. `broken` has values with a missing row. Only `deleted` has deleted values. */
export const RELATIONSHIP_VALUE_TABS = ['draft', 'pending', 'approved', 'rejected', 'broken', 'deleted'] as const;

/** The two ends of a value: the ids and the displayed keys of its rows. */
export const RelationshipEndView = defineView(() =>
  z.object({
    sourceInstanceId: z.number(),
    targetInstanceId: z.number(),
    sourceKey: z
      .string()
      .nullable()
      .describe('The displayed key of the source row; null for a row that never existed.'),
    targetKey: z.string().nullable(),
  }),
);
export type RelationshipEndView = z.infer<typeof RelationshipEndView>;

/** The value of one attribute. */
export const RelationshipAttributeValue = defineView(() =>
  Dates.extend({
    id: z.string().describe('`<relationshipValueId>-<attributeDefinitionId>`.'),
    relationshipValueId: z.number(),
    attributeDefinitionId: z.number(),
    value: CellValue,
  }),
);
export type RelationshipAttributeValue = z.infer<typeof RelationshipAttributeValue>;

/** One row of GET /api/relationships/{id}/values. */
export const RelationshipValueView = defineView(() =>
  RelationshipEndView.extend({
    id: z.number(),
    revision: z.number(),
    relationshipId: z.number(),
    sourceLabel: z
      .string()
      .nullable()
      .describe('The label of the row: the field that the relationship uses or, if that is the key, the label field.'),
    targetLabel: z.string().nullable(),
    sourceMissing: z.boolean().describe('Whether the source row was deleted or never existed.'),
    targetMissing: z.boolean(),
    attributes: z.record(z.string(), CellValue).describe('The attributes by name; those without a value are null.'),
    attributeValues: z
      .array(RelationshipAttributeValue)
      .describe('The attributes by id, as in specification §3; those without a value are left out.'),
    status: z.enum(APPROVAL_STATUSES).describe('The same as `approvalStatus`: specification §3 uses both names.'),
    approvalStatus: z.enum(APPROVAL_STATUSES),
    served: RelationshipEndView.extend({ attributes: z.record(z.string(), CellValue) })
      .nullable()
      .describe('The served value; null if there is none.'),
    deletionRequested: z.boolean(),
    authors: z.array(z.number()).describe('The ids of the authors, who may not review the value.'),
    createdBy: z.number().nullable(),
    createdAt: z.string(),
    submittedBy: z.number().nullable(),
    submittedAt: z.string().nullable(),
    approvedBy: z.number().nullable(),
    approvedAt: z.string().nullable(),
    rejectedBy: z.number().nullable(),
    rejectedAt: z.string().nullable(),
    rejectionReason: z.string().nullable(),
    comment: z.string().nullable().describe('The comment of the last change; null if it had none.'),
    deleted: z
      .boolean()
      .describe('Whether the value is deleted; `updatedBy` and `updatedAt` are then those of the deletion.'),
    updatedBy: z.number().nullable(),
    updatedAt: z.string(),
    submittedForApprovalBy: z
      .number()
      .nullable()
      .describe('This and the next three members repeat members above under the names of specification §3.'),
    submittedForApprovalAt: z.string().nullable(),
    lastModifiedBy: z.number().nullable(),
    lastModifiedAt: z.string(),
    metadata: z.object({ batchId: z.string() }).nullable().describe('Null before the first submission.'),
    changeHistory: z.array(ChangeHistoryEntry).describe('Oldest first; the changes of each entry are in …/history.'),
  }),
);
export type RelationshipValueView = z.infer<typeof RelationshipValueView>;

/** One row of GET /api/relationships/values: the values of all relationships that the viewer may read. */
export const AnyRelationshipValueView = defineView(() =>
  RelationshipValueView.extend({
    relationshipName: z.string(),
    sourceDataSetId: z.number(),
    targetDataSetId: z.number(),
    sourceName: z.string(),
    targetName: z.string(),
  }),
);
export type AnyRelationshipValueView = z.infer<typeof AnyRelationshipValueView>;

/**
 * One entry of GET /api/relationships/{id}/values/{valueId}/history: a version of the value, with the members of
 * VersionView and of specification §3.
 */
export const RelationshipValueHistoryView = defineView(() =>
  z.object({
    ...VersionView.omit({ comment: true }).shape,
    ...RelationshipEndView.shape,
    ...Dates.shape,
    id: z.number().describe('The seq of the event in the audit log.'),
    relationshipValueId: z.number(),
    relationshipId: z.number(),
    attributes: z.record(z.string(), CellValue),
    username: z.string().nullable().describe('The current name of the user; null for the system.'),
    userDisplayName: z.string().nullable(),
    actionType: z.string(),
    statusChange: z.object({ from: VersionStatus.nullable(), to: VersionStatus }),
    fieldChanges: VersionView.shape.changes.unwrap().describe('The same as `changes`; empty for the first version.'),
    comment: z.string().nullable(),
    ipAddress: z
      .string()
      .nullable()
      .describe('The origin of the request; only for administrators, and only as long as it is stored.'),
    userAgent: z.string().nullable(),
    correlationId: z.string(),
    metadata: VersionMetadata,
  }),
);
export type RelationshipValueHistoryView = z.infer<typeof RelationshipValueHistoryView>;
