/** Mappings of a crosswalk: events, states, payloads and views. */
import { z } from 'zod';
import { BULK_ANSWER_ROWS, CROSSWALK_CONFIDENCE_DEFAULT } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { type DomainEvent, type EventsOf, event } from '../events/event.ts';
import {
  type Act,
  type ActMetadata,
  APPROVAL_STATUSES,
  actOf,
  newDraft,
  type PlainFact,
  type RestorableState,
  review,
  type Tracked,
  VersionMetadata,
  VersionStatus,
  VersionView,
} from '../review/approval.ts';
import { RequestImpact } from '../review/request-impact.ts';
import { Rows, RowsWithReason, touchedRowIds, undoneRows } from '../review/reviewed-rows.ts';
import { Dates, Id, requireEachRowOnce } from '../text/fields.ts';
import { canonicalKey } from '../text/rows.ts';
import { normaliseText } from '../text/text.ts';

/** The maximum number of characters of a mapped value after normalisation. */
export const MAPPED_CHARACTERS_MAX = 4_000;

export const MappedValueText = z.string().min(1).max(MAPPED_CHARACTERS_MAX);

const Confidence = z.number().min(0).max(100);

/** The origin of a pair: entered by a user, taken from a suggestion, or imported. */
const Origin = z.enum(['MANUAL', 'SUGGESTION', 'IMPORT']);

/** A mapped value of a request, normalised like a key. */
export const MappedText = z.string().transform(normaliseText).pipe(MappedValueText);

const MAPPED_TEXTS: ReadonlySet<string> = new Set(['sourceValue', 'targetValue']);

/**
 * Normalises the mapped values in the data of events of version 1, which hold texts as users entered them. Returns the
 * same object if nothing changes.
 */
export function withNormalisedValues(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  let isSame = true;
  const entries = Object.entries(data).map(([name, value]): [string, unknown] => {
    const normalised =
      typeof value === 'string' && MAPPED_TEXTS.has(name) ? normaliseText(value) : withNormalisedValues(value);
    isSame &&= normalised === value;
    return [name, normalised];
  });
  if (isSame) return data;
  return Array.isArray(data) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

const Value = z.object({ targetValue: MappedValueText, confidence: Confidence });

export const mappingEvents = {
  MappingsDrafted: event(
    z.object({
      rows: z.array(
        z.object({
          id: Id,
          sourceValue: MappedValueText,
          targetValue: MappedValueText,
          confidence: Confidence,
          origin: Origin,
        }),
      ),
    }),
    2,
    { 1: withNormalisedValues },
  ),
  MappingsEdited: event(
    z.object({ rows: z.array(z.object({ id: Id, targetValue: MappedValueText, confidence: Confidence })) }),
    2,
    { 1: withNormalisedValues },
  ),
  MappingsSubmitted: event(Rows),
  MappingsRecalled: event(Rows),
  MappingsApproved: event(Rows),
  MappingsRejected: event(RowsWithReason),
  MappingsRevoked: event(RowsWithReason),
  MappingsDiscarded: event(Rows),
  MappingsDeletionRequested: event(Rows),
  MappingsDeleted: event(Rows),
  MappingsRestored: event(Rows),
  /** A command was undone for these rows: each row gets the state in this event. */
  MappingsUndone: event(undoneRows(Value), 2, { 1: withNormalisedValues }),
};

export type MappingEvent = EventsOf<typeof mappingEvents>;

export const suggestionEvents = {
  /** A user dismissed suggested pairs: they are not suggested again. */
  SuggestionsDismissed: event(
    z.object({ rows: z.array(z.object({ id: Id, sourceValue: MappedValueText, targetValue: MappedValueText })) }),
  ),
  /** A user restored dismissed pairs: they can be suggested again. */
  SuggestionsRestored: event(z.object({ ids: z.array(Id) })),
};

export type SuggestionEvent = EventsOf<typeof suggestionEvents>;

/** A bucket holds the mappings and the dismissed suggestions of its source values. */
export const mappingBucketEvents = { ...mappingEvents, ...suggestionEvents };

export type MappingBucketEvent = MappingEvent | SuggestionEvent;

export type MappingValue = z.infer<typeof Value>;

export interface Mapping extends Tracked<MappingValue> {
  id: number;
  sourceValue: string;
}

/** A source value and a target, mapped or suggested. */
export interface MappedPair {
  sourceValue: string;
  targetValue: string;
}

export const pairKey = ({ sourceValue, targetValue }: MappedPair): string => JSON.stringify([sourceValue, targetValue]);

/** One bucket of a crosswalk's mappings. `evolveMappings` changes the bucket in place. */
export interface MappingBucket {
  rows: Map<number, Mapping>;
  /** The dismissed pairs by the id of the dismissal, with the user and time of the dismissal. */
  dismissedPairById: Map<number, MappedPair & Act>;
  /** The ids of the dismissals by `pairKey`. */
  dismissalIdByPair: Map<string, number>;
}

export const emptyMappingBucket = (): MappingBucket => ({
  rows: new Map(),
  dismissedPairById: new Map(),
  dismissalIdByPair: new Map(),
});

/** The key that determines a mapping's bucket: its source value. */
export const mappingKey = (sourceValue: string): string => canonicalKey([sourceValue]);

export const MAPPING_FACTS = {
  MappingsSubmitted: 'submitted',
  MappingsRecalled: 'recalled',
  MappingsApproved: 'approved',
  MappingsRejected: 'rejected',
  MappingsRevoked: 'revoked',
  MappingsDiscarded: 'discarded',
  MappingsDeletionRequested: 'deletionRequested',
  MappingsDeleted: 'deleted',
  MappingsRestored: 'restored',
} as const satisfies Partial<Record<MappingEvent['type'], PlainFact>>;

/**
 * Folds one event into a mapping. `index` is the place of the mapping in the event's rows; `row` is undefined if the
 * mapping is not in the bucket.
 */
export function evolveMapping(
  row: Mapping | undefined,
  event: MappingEvent & ActMetadata,
  index: number,
): Mapping | undefined {
  const act = actOf(event);
  if (event.type === 'MappingsDrafted') {
    const drafted = event.data.rows[index];
    if (!drafted) return row;
    const { id, sourceValue, targetValue, confidence } = drafted;
    return { ...newDraft({ targetValue, confidence }, act), id, sourceValue };
  }
  if (row === undefined) return undefined;
  if (event.type === 'MappingsEdited') {
    const edit = event.data.rows[index];
    if (!edit) return row;
    const value = { targetValue: edit.targetValue, confidence: edit.confidence };
    return { ...row, ...review(row, { fact: 'edited', value }, act) };
  }
  if (event.type === 'MappingsUndone') {
    const to: RestorableState<MappingValue> | undefined = event.data.rows[index]?.to;
    return to ? { ...row, ...review(row, { fact: 'undone', to }, act) } : row;
  }
  return { ...row, ...review(row, { fact: MAPPING_FACTS[event.type] }, act) };
}

/** Folds one event into a bucket, in place. */
export function evolveMappings(state: MappingBucket, event: MappingBucketEvent & ActMetadata): MappingBucket {
  if (event.type === 'SuggestionsDismissed') {
    const act = actOf(event);
    for (const { id, ...pair } of event.data.rows) {
      state.dismissedPairById.set(id, { ...pair, ...act });
      state.dismissalIdByPair.set(pairKey(pair), id);
    }
    return state;
  }
  if (event.type === 'SuggestionsRestored') {
    for (const id of event.data.ids) {
      const pair = state.dismissedPairById.get(id);
      state.dismissedPairById.delete(id);
      if (pair) state.dismissalIdByPair.delete(pairKey(pair));
    }
    return state;
  }
  touchedRowIds(event).forEach((id, index) => {
    const row = evolveMapping(state.rows.get(id), event, index);
    if (row) state.rows.set(id, row);
  });
  return state;
}

export const isMappingEvent = (event: DomainEvent): event is MappingEvent => event.type in mappingEvents;

export const isSuggestionEvent = (event: DomainEvent): event is SuggestionEvent => event.type in suggestionEvents;

export const NewMapping = z.object({
  sourceValue: MappedText,
  targetValue: MappedText,
  confidence: Confidence.default(CROSSWALK_CONFIDENCE_DEFAULT),
  origin: Origin.default('MANUAL'),
});

/** POST /api/crosswalks/{id}/mappings: one pair, or many as `{ rows }`. */
export const DraftMappings = z.union([
  z.object({ rows: z.array(NewMapping).min(1).max(10_000) }),
  NewMapping.transform((one) => ({ rows: [one] })),
]);

export type DraftMappings = z.infer<typeof DraftMappings>;

/** PATCH /api/crosswalks/{id}/mappings. */
export const EditMappings = z.object({
  rows: z
    .array(
      z.object({
        id: Id,
        revision: z.number().int().positive(),
        targetValue: MappedText,
        confidence: Confidence.default(CROSSWALK_CONFIDENCE_DEFAULT),
      }),
    )
    .min(1)
    .max(10_000)
    .superRefine(requireEachRowOnce),
});

export type EditMappings = z.infer<typeof EditMappings>;

/** POST /api/crosswalks/{id}/suggestions/dismiss: pairs that should not be suggested again. */
export const DismissSuggestions = z.object({
  rows: z
    .array(z.object({ sourceValue: MappedText, targetValue: MappedText }))
    .min(1)
    .max(BULK_ANSWER_ROWS),
});

export type DismissSuggestions = z.infer<typeof DismissSuggestions>;

/** POST /api/crosswalks/{id}/suggestions/restore: dismissals to undo. */
export const RestoreSuggestions = z.object({ ids: z.array(Id).min(1).max(BULK_ANSWER_ROWS) });

export type RestoreSuggestions = z.infer<typeof RestoreSuggestions>;

/** One row of GET /api/crosswalks/{id}/mappings. */
export const MappingView = defineView(() =>
  z.object({
    id: z.number(),
    revision: z.number(),
    crosswalkId: z.number(),
    sourceValue: z.string(),
    targetValue: z.string(),
    confidence: z.number(),
    status: z
      .enum(APPROVAL_STATUSES)
      .describe(
        'The approval status. Specification §3 calls it `status` for values, and `approvalStatus` for definitions.',
      ),
    served: Value.nullable(),
    deletionRequested: z.boolean(),
    sourceLabel: z.string().nullable().describe('The label of the source row; null if there is none.'),
    targetLabel: z.string().nullable(),
    sourceMissing: z
      .boolean()
      .describe(
        'Whether no row has the source value any more. The next two properties state the same about the target value and the served value.',
      ),
    targetMissing: z.boolean(),
    servedMissing: z.boolean(),
    authors: z.array(z.number()),
    createdBy: z.number().nullable(),
    createdAt: z.string().nullable().describe('Null if no mapping exists, as in the tabs unmapped and suggested.'),
    submittedBy: z.number().nullable(),
    submittedAt: z.string().nullable(),
    submissionComment: z.string().nullable().describe('The comment of the last submission.'),
    approvedBy: z.number().nullable(),
    approvedAt: z.string().nullable(),
    rejectedBy: z.number().nullable(),
    rejectedAt: z.string().nullable(),
    rejectionReason: z.string().nullable(),
    deleted: z
      .boolean()
      .describe('Whether the mapping is deleted; `updatedBy` and `updatedAt` are then those of the deletion.'),
    updatedBy: z.number().nullable(),
    updatedAt: z.string(),
    impact: RequestImpact.nullable().describe('How often the source value was requested; null in reads of the past.'),
  }),
);
export type MappingView = z.infer<typeof MappingView>;

/** One row of GET /api/crosswalks/{id}/suggestions: a source value without a mapping, with its candidates. */
export const SuggestionView = defineView(() =>
  z.object({
    sourceValue: z.string(),
    sourceLabel: z.string().nullable(),
    candidates: z.array(
      z.object({
        targetValue: z.string(),
        targetLabel: z.string().nullable(),
        confidence: z.number(),
        reason: z.string(),
      }),
    ),
  }),
);
export type SuggestionView = z.infer<typeof SuggestionView>;

/**
 * One entry of GET /api/crosswalks/{id}/mappings/{valueId}/history: a version of the mapping, with the members of
 * VersionView and of specification §3.
 */
export const MappingHistoryView = defineView(() =>
  z.object({
    ...VersionView.shape,
    ...Dates.shape,
    id: z.number().describe('The seq of the event in the audit log.'),
    mappingId: z.number(),
    crosswalkId: z.number(),
    targetValue: z.string(),
    confidence: z.number(),
    changeType: z.string(),
    previousStatus: VersionStatus.nullable(),
    previousValue: Value.nullable(),
    newValue: Value,
    changedBy: z.number().nullable(),
    changedAt: z.string(),
    changeReason: z.string().nullable(),
    metadata: VersionMetadata,
  }),
);
export type MappingHistoryView = z.infer<typeof MappingHistoryView>;

/** The tabs of the list. `broken` has the mappings with a proposed or served target value that no row has. */
export const MAPPING_TABS = [
  'unmapped',
  'suggested',
  'draft',
  'pending',
  'approved',
  'rejected',
  'broken',
  'deleted',
  'dismissed',
] as const;
