/** Relationships between data sets: events, state and payloads of their definitions and attributes. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { WORDS } from '../refusal.ts';
import {
  type ActMetadata,
  APPROVAL_STATUSES,
  actOf,
  newDraft,
  review,
  type Tracked,
  VersionView,
} from '../review/approval.ts';
import { Rows, RowsWithReason, restorableState } from '../review/reviewed-rows.ts';
import { Dates, Description, Id, Name } from '../text/fields.ts';
import { DATA_TYPES } from '../text/rows.ts';

export const CARDINALITIES = ['ONE_TO_ONE', 'ONE_TO_MANY', 'MANY_TO_ONE', 'MANY_TO_MANY'] as const;
export type Cardinality = (typeof CARDINALITIES)[number];

const Definition = z.object({
  id: Id,
  name: z.string(),
  relationshipType: z.string(),
  cardinality: z.enum(CARDINALITIES),
  sourceDataSetId: Id,
  targetDataSetId: Id,
  sourceFieldId: Id,
  targetFieldId: Id,
  /** Whether a row of a data set that is both source and target may be related to itself. */
  allowSelfRelationship: z.boolean(),
});
export type RelationshipDefinition = z.infer<typeof Definition>;

const DataType = z.enum(DATA_TYPES, { error: WORDS.dataTypeRequired });
const AttributeDetails = {
  name: z.string(),
  dataType: DataType,
  isRequired: z.boolean(),
  description: z.string(),
};
const WithComment = Rows.pick({ comment: true });
const WithReason = RowsWithReason.pick({ comment: true });

export const relationshipEvents = {
  RelationshipDefined: event(Definition),
  RelationshipDetailsChanged: event(z.object({ name: z.string().optional(), relationshipType: z.string().optional() })),
  /** Rules can only change before the first value is added. */
  RelationshipRulesChanged: event(Definition.pick({ cardinality: true, allowSelfRelationship: true })),
  /** Precedes the first value. Locks cardinality, self-relations and the data types of attributes. */
  RelationshipValuesStarted: event(z.object({})),
  RelationshipAttributeDefined: event(z.object({ attributeId: Id, ...AttributeDetails })),
  RelationshipAttributeChanged: event(z.object({ attributeId: Id, ...z.object(AttributeDetails).partial().shape })),
  RelationshipAttributeRemoved: event(z.object({ attributeId: Id })),
  /** The deletion needs a review, because a value of the relationship was approved before. */
  RelationshipDeletionRequested: event(WithComment),
  RelationshipDeletionRecalled: event(WithComment),
  RelationshipDeletionRejected: event(WithReason),
  RelationshipDeletionApproved: event(WithComment),
  RelationshipDeleted: event(z.object({})),
  /** The relationship was restored with its values, none of which was ever approved. */
  RelationshipRestored: event(WithComment),
  /** A command about the deletion was undone: the relationship gets the state in this event. */
  RelationshipDeletionUndone: event(
    z.object({ undoes: z.uuid(), to: restorableState(Definition), comment: z.string().optional() }),
  ),
  /** Closes the stream of a relationship whose creation was refused. */
  RelationshipAbandoned: event(z.object({ id: Id, sourceDataSetId: Id, targetDataSetId: Id })),
};
export type RelationshipEvent = EventsOf<typeof relationshipEvents>;

/** An attribute of each value, in addition to the two rows. Values refer to the attribute by its constant id. */
export interface RelationshipAttribute {
  attributeId: number;
  name: string;
  dataType: (typeof DATA_TYPES)[number];
  isRequired: boolean;
  description: string;
  /** A removed attribute is no longer shown, but values still contain it. */
  removed: boolean;
}

/** A relationship is served as soon as it is created. Only its deletion is reviewed. */
export interface Relationship extends Tracked<RelationshipDefinition> {
  id: number;
  hasValues: boolean;
  attributes: RelationshipAttribute[];
}

export const DELETION_FACTS = {
  RelationshipDeletionRequested: 'deletionRequested',
  RelationshipDeletionRecalled: 'recalled',
  RelationshipDeletionRejected: 'rejected',
  RelationshipDeletionApproved: 'approved',
  RelationshipDeleted: 'deleted',
  RelationshipRestored: 'restored',
} as const;

const newRelationship = (definition: RelationshipDefinition): Relationship => ({
  ...newDraft(definition, { by: null, at: '' }),
  approvalStatus: 'APPROVED',
  served: definition,
  id: definition.id,
  hasValues: false,
  attributes: [],
});

/** Folds one event into a relationship's definition. */
export function evolveRelationship(
  state: Relationship | undefined,
  event: RelationshipEvent & ActMetadata,
): Relationship | undefined {
  if (event.type === 'RelationshipDefined') return newRelationship(event.data);
  if (event.type === 'RelationshipAbandoned') {
    const noDetails = { name: '', relationshipType: '', sourceFieldId: 0, targetFieldId: 0 };
    const rules = { cardinality: 'MANY_TO_MANY', allowSelfRelationship: false } as const;
    return { ...newRelationship({ ...event.data, ...noDetails, ...rules }), deleted: true };
  }
  if (state === undefined) return undefined;
  const act = actOf(event);
  const revised = { ...state, revision: state.revision + 1, changedBy: act.by, changedAt: act.at };
  switch (event.type) {
    case 'RelationshipDetailsChanged':
    case 'RelationshipRulesChanged': {
      const value = { ...state.value, ...withoutUndefined(event.data) };
      return { ...revised, value, served: value };
    }
    case 'RelationshipValuesStarted':
      return { ...state, hasValues: true };
    case 'RelationshipAttributeDefined':
      return { ...revised, attributes: [...state.attributes, { ...event.data, removed: false }] };
    case 'RelationshipAttributeChanged':
    case 'RelationshipAttributeRemoved': {
      const changed = event.type === 'RelationshipAttributeRemoved' ? { removed: true } : withoutUndefined(event.data);
      return {
        ...revised,
        attributes: state.attributes.map((each) =>
          each.attributeId === event.data.attributeId ? { ...each, ...changed } : each,
        ),
      };
    }
    case 'RelationshipRestored': {
      // A relationship is either served or deleted; it is never a draft.
      const restored = review(state, { fact: 'restored' }, act);
      return { ...state, ...restored, approvalStatus: 'APPROVED', served: state.value, authors: [] };
    }
    case 'RelationshipDeletionUndone':
      return { ...state, ...review(state, { fact: 'undone', to: event.data.to }, act) };
    default:
      return { ...state, ...review(state, { fact: DELETION_FACTS[event.type] }, act) };
  }
}

function withoutUndefined<T extends object>(partial: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined)) as never;
}

export const activeAttributes = ({ attributes }: Pick<Relationship, 'attributes'>): RelationshipAttribute[] =>
  attributes.filter(({ removed }) => !removed);

const RelationshipType = z.string().trim().max(200);

/** POST /api/relationships. `sourceField` and `targetField` are names of fields of the two data sets. */
export const DefineRelationship = z.object({
  name: Name(WORDS.relationshipNameRequired),
  relationshipType: RelationshipType.default(''),
  cardinality: z.enum(CARDINALITIES).default('MANY_TO_MANY'),
  sourceDataSetId: Id,
  targetDataSetId: Id,
  sourceField: Name('Source field is required'),
  targetField: Name('Target field is required'),
  allowSelfRelationship: z.boolean().default(false),
});
export type DefineRelationship = z.infer<typeof DefineRelationship>;

/** PATCH /api/relationships/{id}. The first value locks the cardinality and self-relations. */
export const ChangeRelationship = z.object({
  name: Name(WORDS.relationshipNameRequired).optional(),
  relationshipType: RelationshipType.optional(),
  cardinality: z.enum(CARDINALITIES).optional(),
  allowSelfRelationship: z.boolean().optional(),
});
export type ChangeRelationship = z.infer<typeof ChangeRelationship>;

/**
 * POST /api/relationships/{id}/copy: creates another relationship between the same ends. Omitted rules are copied. With
 * `preview`, nothing is created, and the response lists the values that would not be copied.
 */
export const CopyRelationship = z.object({
  name: Name(WORDS.relationshipNameRequired),
  cardinality: z.enum(CARDINALITIES).optional(),
  allowSelfRelationship: z.boolean().optional(),
  preview: z.boolean().default(false),
});
export type CopyRelationship = z.infer<typeof CopyRelationship>;

/** POST /api/relationships/{id}/attributes. */
export const DefineAttribute = z.object({
  name: Name(WORDS.attributeNameRequired),
  dataType: DataType,
  isRequired: z.boolean().default(false),
  description: Description.default(''),
});
export type DefineAttribute = z.infer<typeof DefineAttribute>;

/** PATCH /api/relationships/{id}/attributes: changes one attribute. The first value locks the data types. */
export const ChangeAttribute = z.object({
  id: Id,
  name: Name(WORDS.attributeNameRequired).optional(),
  dataType: DataType.optional(),
  isRequired: z.boolean().optional(),
  description: Description.optional(),
});
export type ChangeAttribute = z.infer<typeof ChangeAttribute>;

/** DELETE /api/relationships/{id}/attributes. */
export const RemoveAttribute = z.object({ id: Id });

/** The response to POST /api/relationships/{id}/copy. */
export const RelationshipCopied = defineView(() =>
  z.object({
    id: z.number().nullable().describe('The id of the copy; null for a preview.'),
    revision: z.number().nullable(),
    copied: z.number().describe('The number of values that are copied, as drafts.'),
    refused: z.number().describe('The number of values that cannot be copied. `violations` has the first hundred.'),
    violations: z.array(
      z.object({ id: z.number(), source: z.string(), target: z.string(), code: z.string(), message: z.string() }),
    ),
  }),
);
export type RelationshipCopied = z.infer<typeof RelationshipCopied>;

/** One entry of GET /api/relationships/{id}/attributes. */
export const AttributeView = defineView(() =>
  Dates.extend({
    id: z.number(),
    relationshipTypeId: z.number().describe('The id of the relationship, which defines its own attributes.'),
    name: z.string(),
    dataType: z.enum(DATA_TYPES),
    isRequired: z.boolean(),
    description: z.string(),
  }),
);
export type AttributeView = z.infer<typeof AttributeView>;

/** The number of values by the status of their working value, and the number of served values. */
export const RelationshipCounts = defineView(() =>
  z.object({
    draft: z.number(),
    pending: z.number(),
    approved: z.number(),
    rejected: z.number(),
    served: z.number(),
  }),
);
export type RelationshipCounts = z.infer<typeof RelationshipCounts>;

/** One row of GET /api/relationships, and the response to GET /api/relationships/{id}. */
export const RelationshipView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    relationshipType: z.string(),
    cardinality: z.enum(CARDINALITIES),
    sourceDataSetId: z.number(),
    targetDataSetId: z.number(),
    sourceName: z.string(),
    targetName: z.string(),
    sourceField: z.string(),
    targetField: z.string(),
    allowSelfRelationship: z.boolean(),
    attributes: z.array(AttributeView),
    hasValues: z
      .boolean()
      .describe('Whether cardinality, self-relations and the data types of attributes can no longer be changed.'),
    counts: RelationshipCounts,
    approvalStatus: z.enum(APPROVAL_STATUSES).describe('APPROVED, or PENDING while the deletion waits for a review.'),
    deletionRequested: z.boolean(),
    submittedBy: z.number().nullable(),
    authors: z.array(z.number()).describe('The ids of the users who requested the deletion and may not review it.'),
    deleted: z
      .boolean()
      .describe('Whether the relationship is deleted; `updatedBy` and `updatedAt` are then those of the deletion.'),
    deletionDecided: z
      .boolean()
      .describe('Whether the deletion was approved. Then only an undo of this decision restores the relationship.'),
    level: z.enum(['READ', 'WRITE', 'APPROVER', 'ADMIN']),
    revision: z.number(),
    createdAt: z.string(),
    updatedBy: z.number().nullable(),
    updatedAt: z.string(),
  }),
);
export type RelationshipView = z.infer<typeof RelationshipView>;

/** One entry of GET /api/relationships/{id}/history. */
export const RelationshipHistoryView = defineView(() =>
  VersionView.extend({
    definition: RelationshipView.pick({
      name: true,
      relationshipType: true,
      cardinality: true,
      allowSelfRelationship: true,
    })
      .extend({
        attributes: z.array(AttributeView.omit({ relationshipTypeId: true, createdAt: true, updatedAt: true })),
      })
      .describe('The definition at that time.'),
  }),
);
export type RelationshipHistoryView = z.infer<typeof RelationshipHistoryView>;
