/** Crosswalks: events, states and payloads of their definitions. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { WORDS } from '../refusal.ts';
import {
  type ActMetadata,
  APPROVAL_STATUSES,
  actOf,
  newDraft,
  type PlainFact,
  review,
  type Tracked,
  VersionView,
  withAuthor,
} from '../review/approval.ts';
import { restorableState } from '../review/reviewed-rows.ts';
import { Description, Id, Name } from '../text/fields.ts';
import { MappedValueText } from './mappings.ts';

export const CROSSWALK_CARDINALITIES = ['ONE_TO_ONE', 'MANY_TO_ONE', 'ONE_TO_MANY', 'MANY_TO_MANY'] as const;
/** The expected number of targets per source value and of sources per target; more cause only a warning. */
const Cardinality = z.enum(CROSSWALK_CARDINALITIES);
export type CrosswalkCardinality = z.infer<typeof Cardinality>;

/** The `fallback` that translate returns for a value without a served mapping. */
export const Unmapped = z.discriminatedUnion('yields', [
  z.object({ yields: z.literal('NOTHING') }),
  z.object({ yields: z.literal('SOURCE_VALUE') }),
  z.object({ yields: z.literal('FIXED'), value: MappedValueText }),
]);
export type Unmapped = z.infer<typeof Unmapped>;

/** Defaults of new crosswalks, and the values of crosswalks that were created before these fields existed. */
export const CROSSWALK_DEFAULTS = { cardinality: 'MANY_TO_ONE', unmapped: { yields: 'NOTHING' } } as const;

const Details = {
  name: z.string(),
  description: z.string(),
  similarityThreshold: z.number().min(0).max(1),
  cardinality: Cardinality,
  /** The label fields that this crosswalk uses instead of the label fields of the data sets. */
  sourceLabelFieldId: Id.nullable().optional(),
  targetLabelFieldId: Id.nullable().optional(),
};
const Definition = z.object({
  id: Id,
  ...Details,
  /** The ids of the source and the target data set, which the storage format and the API call systems. */
  sourceSystemId: Id,
  targetSystemId: Id,
  sourceFieldId: Id,
  targetFieldId: Id,
  unmapped: Unmapped,
});
const WithComment = z.object({ comment: z.string().optional() });
const WithReason = z.object({ comment: z.string() });

/** The data of `CrosswalkUndone` in version 1, whose definitions lack the fields of `CROSSWALK_DEFAULTS`. */
interface UndoneVersion1 {
  to: { value: object; served: object | null };
}
const withDefaults = ({ to, ...rest }: UndoneVersion1) => ({
  ...rest,
  to: {
    ...to,
    value: { ...to.value, ...CROSSWALK_DEFAULTS },
    served: to.served && { ...to.served, ...CROSSWALK_DEFAULTS },
  },
});

export const crosswalkEvents = {
  CrosswalkDefined: event(Definition, 2, { 1: (data) => ({ ...(data as object), ...CROSSWALK_DEFAULTS }) }),
  CrosswalkDetailsChanged: event(z.object(Details).partial()),
  /** Attributes can change only before the first mapping is drafted; the change reopens the review. */
  CrosswalkAttributesChanged: event(z.object({ sourceFieldId: Id, targetFieldId: Id })),
  /**
   * Changes the result of translate for values without a served mapping. Like a change of the attributes, this event
   * reopens the review.
   */
  CrosswalkUnmappedChanged: event(z.object({ unmapped: Unmapped })),
  /** The first mapping was drafted. After this event, the attributes cannot change. */
  CrosswalkValuesStarted: event(z.object({})),
  CrosswalkSubmitted: event(WithComment),
  CrosswalkRecalled: event(WithComment),
  CrosswalkApproved: event(WithComment),
  CrosswalkRejected: event(WithReason),
  CrosswalkRevoked: event(WithReason),
  /** Discards the draft of an approved definition; the served definition stays in force. */
  CrosswalkDiscarded: event(WithComment),
  CrosswalkDeletionRequested: event(WithComment),
  CrosswalkDeleted: event(WithComment),
  /**
   * Restores a deleted crosswalk as a draft, even if the crosswalk was approved. Its mappings have the same status as
   * before the deletion.
   */
  CrosswalkRestored: event(WithComment),
  /** Undoes a command: the definition returns to the state given here. */
  CrosswalkUndone: event(
    z.object({ undoes: z.uuid(), to: restorableState(Definition), comment: z.string().optional() }),
    2,
    {
      1: (data) => withDefaults(data as UndoneVersion1),
    },
  ),
  /** Closes the stream of a crosswalk whose creation was refused. */
  CrosswalkAbandoned: event(z.object({ id: Id, sourceSystemId: Id, targetSystemId: Id })),
};
export type CrosswalkEvent = EventsOf<typeof crosswalkEvents>;

export type CrosswalkDefinition = z.infer<typeof Definition>;

/** A crosswalk. Its definition is reviewed and approved like a mapping. */
export interface Crosswalk extends Tracked<CrosswalkDefinition> {
  id: number;
  hasValues: boolean;
}

export const CROSSWALK_FACTS: Partial<Record<CrosswalkEvent['type'], PlainFact>> = {
  CrosswalkSubmitted: 'submitted',
  CrosswalkRecalled: 'recalled',
  CrosswalkApproved: 'approved',
  CrosswalkRejected: 'rejected',
  CrosswalkRevoked: 'revoked',
  CrosswalkDiscarded: 'discarded',
  CrosswalkDeletionRequested: 'deletionRequested',
  CrosswalkDeleted: 'deleted',
  CrosswalkRestored: 'restored',
};

export function evolveCrosswalk(
  state: Crosswalk | undefined,
  event: CrosswalkEvent & ActMetadata,
): Crosswalk | undefined {
  const act = actOf(event);
  if (event.type === 'CrosswalkDefined') {
    return { ...newDraft(event.data, act), id: event.data.id, hasValues: false };
  }
  if (event.type === 'CrosswalkAbandoned') {
    const { id, sourceSystemId, targetSystemId } = event.data;
    const details = { name: '', description: '', similarityThreshold: 0, ...CROSSWALK_DEFAULTS };
    const empty = { id, ...details, sourceFieldId: 0, targetFieldId: 0 };
    return { ...newDraft({ ...empty, sourceSystemId, targetSystemId }, act), id, hasValues: false, deleted: true };
  }
  if (state === undefined) return undefined;
  switch (event.type) {
    case 'CrosswalkDetailsChanged': {
      // A change of details is served without a review, because details do not affect mappings. The user still becomes
      // an author, because the next approval of the definition covers the details.
      const details = withoutUndefined(event.data);
      const served = state.served && { ...state.served, ...details };
      const authors = withAuthor(state.authors, act.by);
      const changed = { revision: state.revision + 1, changedBy: act.by, changedAt: act.at, authors };
      return { ...state, ...changed, value: { ...state.value, ...details }, served };
    }
    case 'CrosswalkAttributesChanged':
    case 'CrosswalkUnmappedChanged':
      return { ...state, ...review(state, { fact: 'edited', value: { ...state.value, ...event.data } }, act) };
    case 'CrosswalkValuesStarted':
      return { ...state, hasValues: true };
    case 'CrosswalkUndone':
      return { ...state, ...review(state, { fact: 'undone', to: event.data.to }, act) };
    default: {
      const fact = CROSSWALK_FACTS[event.type] as PlainFact;
      return { ...state, ...review(state, { fact }, act) };
    }
  }
}

function withoutUndefined<T extends object>(partial: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined)) as never;
}

const LabelField = Name(WORDS.attributeNameRequired).nullable().optional();
/** Names of the label fields of this crosswalk; null to use the label fields of the data sets. */
const LabelFields = { sourceLabelField: LabelField, targetLabelField: LabelField };

/** POST /api/crosswalks. Attributes are field names of the two data sets' types. */
export const DefineCrosswalk = z.object({
  name: Name(WORDS.crosswalkNameRequired),
  description: Description.default(''),
  sourceSystemId: Id,
  targetSystemId: Id,
  sourceAttribute: Name(WORDS.attributeNameRequired),
  targetAttribute: Name(WORDS.attributeNameRequired),
  similarityThreshold: z.number().min(0).max(1).default(0.4),
  cardinality: Cardinality.default(CROSSWALK_DEFAULTS.cardinality),
  unmapped: Unmapped.default(CROSSWALK_DEFAULTS.unmapped),
  ...LabelFields,
});
export type DefineCrosswalk = z.infer<typeof DefineCrosswalk>;

/** PATCH /api/crosswalks/{id}. */
export const ChangeCrosswalk = z.object({
  name: Name(WORDS.crosswalkNameRequired).optional(),
  description: Description.optional(),
  similarityThreshold: z.number().min(0).max(1).optional(),
  cardinality: Cardinality.optional(),
  unmapped: Unmapped.optional(),
  sourceAttribute: Name(WORDS.attributeNameRequired).optional(),
  targetAttribute: Name(WORDS.attributeNameRequired).optional(),
  ...LabelFields,
});
export type ChangeCrosswalk = z.infer<typeof ChangeCrosswalk>;

/** POST /api/crosswalks/{id}/duplicate: copies the definition and, if requested, the mappings, as drafts. */
export const DuplicateCrosswalk = z.object({
  name: Name(WORDS.crosswalkNameRequired),
  mappings: z.boolean().default(false),
  /** If true, the request writes nothing and returns what a copy would contain. */
  preview: z.boolean().default(false),
});
export type DuplicateCrosswalk = z.infer<typeof DuplicateCrosswalk>;

/** POST /api/crosswalks/{id}/reverse: like duplicate, but source and target of the copy are swapped. */
export const ReverseCrosswalk = DuplicateCrosswalk.extend({ mappings: z.boolean().default(true) });

/** The maximum number of mappings that one duplicate or reverse copies. */
export const COPIED_MAPPINGS_MAX = 100_000;

/** The response to …/duplicate and …/reverse. */
export const CrosswalkCopied = defineView(() =>
  z.object({
    id: z.number().nullable().describe('The new crosswalk; null for a preview.'),
    revision: z.number().nullable(),
    copied: z.number().describe('The number of mappings that are copied, as drafts.'),
    ambiguous: z.number().describe('The number of values of the new source that have several targets.'),
    left: z.number().describe('The number of mappings that are not copied.'),
    leftBehind: z
      .array(z.object({ id: z.number(), sourceValue: z.string(), targetValue: z.string(), message: z.string() }))
      .describe(
        'The first hundred mappings that are not copied, with the values of the original crosswalk and the reason.',
      ),
  }),
);
export type CrosswalkCopied = z.infer<typeof CrosswalkCopied>;

/** One row of GET /api/crosswalks. */
export const CrosswalkView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    sourceSystemId: z.number(),
    targetSystemId: z.number(),
    sourceName: z.string(),
    targetName: z.string(),
    sourceAttribute: z.string(),
    targetAttribute: z.string(),
    sourceLabelField: z
      .string()
      .nullable()
      .describe('The label field that the crosswalk uses for the source; null if there is none.'),
    targetLabelField: z.string().nullable(),
    chosenSourceLabelField: z
      .string()
      .nullable()
      .describe(
        'The label field that was chosen for this crosswalk; null if the crosswalk uses the label field of the source.',
      ),
    chosenTargetLabelField: z.string().nullable(),
    sourceFieldId: z.number(),
    targetFieldId: z.number(),
    similarityThreshold: z.number(),
    cardinality: Cardinality,
    unmapped: Unmapped,
    approvalStatus: z.enum(APPROVAL_STATUSES),
    deletionRequested: z.boolean(),
    isServed: z.boolean(),
    submittedBy: z.number().nullable(),
    approvedBy: z.number().nullable().describe('The user who last approved the definition; null if none did.'),
    approvedAt: z.string().nullable(),
    authors: z.array(z.number()),
    deleted: z
      .boolean()
      .describe('Whether the crosswalk is deleted; `updatedBy` and `updatedAt` are then those of the deletion.'),
    counts: z
      .object({
        draft: z.number(),
        pending: z.number(),
        approved: z.number(),
        rejected: z.number(),
        served: z.number(),
      })
      .describe('The number of mappings with each status (of the working value), and the number of served mappings.'),
    mappedPercent: z
      .number()
      .nullable()
      .describe(
        'The percentage of the rows of the source that have a served mapping; null if the source has no rows, and in reads of the past.',
      ),
    missingCount: z
      .number()
      .nullable()
      .describe('The number of missing mappings; null in reads of the past, because only the current number is known.'),
    level: z.enum(['READ', 'WRITE', 'APPROVER', 'ADMIN']),
    revision: z.number(),
    // The last approval of the definition or of a mapping.
    lastApprovedAt: z.string().nullable(),
    createdAt: z.string(),
    updatedBy: z.number().nullable(),
    updatedAt: z.string(),
  }),
);
export type CrosswalkView = z.infer<typeof CrosswalkView>;

/** One entry of GET /api/crosswalks/{id}/history. */
export const CrosswalkHistoryView = defineView(() =>
  VersionView.extend({
    definition: CrosswalkView.pick({
      name: true,
      description: true,
      similarityThreshold: true,
      cardinality: true,
      unmapped: true,
      chosenSourceLabelField: true,
      chosenTargetLabelField: true,
    })
      .extend({ sourceAttribute: z.string().nullable(), targetAttribute: z.string().nullable() })
      .describe('The definition at that time, with the names that the fields of its attributes had then.'),
  }),
);
export type CrosswalkHistoryView = z.infer<typeof CrosswalkHistoryView>;

export { RowOutcome } from '../review/reviewed-rows.ts';
