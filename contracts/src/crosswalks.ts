/** Crosswalks and their mapping values: events, states and payloads. */
import { z } from 'zod';
import {
  type Act,
  type ApprovalStatus,
  actOf,
  drafted,
  type PlainFact,
  review,
  type Standing,
  type Tracked,
  type VersionMetadata,
  type VersionStatus,
  type VersionView,
  withAuthor,
} from './approval.ts';
import { BULK_ANSWER_ROWS, CROSSWALK_CONFIDENCE_DEFAULT, TRANSLATE_VALUES_MAX } from './constants.ts';
import { type DomainEvent, type EventsOf, event } from './event.ts';
import { type Dates, Description, Id, Name, namedOnce, Reason } from './fields.ts';
import { WORDS } from './refusal.ts';
import { Rows, RowsWithReason, standing, touchedRows, undoneRows } from './reviewed-rows.ts';
import { canonicalKey } from './rows.ts';
import { normaliseText } from './text.ts';

export const CROSSWALK_CARDINALITIES = ['ONE_TO_ONE', 'MANY_TO_ONE', 'ONE_TO_MANY', 'MANY_TO_MANY'] as const;
/** How many targets a source value is meant to have, and how many sources a target: warned about, never enforced. */
const Cardinality = z.enum(CROSSWALK_CARDINALITIES);
export type CrosswalkCardinality = z.infer<typeof Cardinality>;

/** Of a mapped value, spelled as it is kept. */
export const MAPPED_CHARACTERS_MAX = 4_000;
const Text = z.string().min(1).max(MAPPED_CHARACTERS_MAX);

/** What translate answers for a value that no served mapping answers; never without saying so. */
const Unmapped = z.discriminatedUnion('yields', [
  z.object({ yields: z.literal('NOTHING') }),
  z.object({ yields: z.literal('SOURCE_VALUE') }),
  z.object({ yields: z.literal('FIXED'), value: Text }),
]);
export type Unmapped = z.infer<typeof Unmapped>;

/** What crosswalks were before they said so themselves. */
export const CROSSWALK_DEFAULTS = { cardinality: 'MANY_TO_ONE', unmapped: { yields: 'NOTHING' } } as const;

const Details = {
  name: z.string(),
  description: z.string(),
  similarityThreshold: z.number().min(0).max(1),
  cardinality: Cardinality,
  /** Label fields in place of those of the data sets. */
  sourceLabelFieldId: Id.nullable().optional(),
  targetLabelFieldId: Id.nullable().optional(),
};
const Definition = z.object({
  id: Id,
  ...Details,
  sourceSystemId: Id,
  targetSystemId: Id,
  sourceFieldId: Id,
  targetFieldId: Id,
  unmapped: Unmapped,
});
const Said = z.object({ comment: z.string().optional() });
const SaidWhy = z.object({ comment: z.string() });

/** How a header stood that was undone before definitions said what they do today. */
interface UndoneBefore {
  to: { value: object; served: object | null };
}
const withDefaultsOf = ({ to, ...rest }: UndoneBefore) => ({
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
  /** Attributes change only while there is no value; edits reopen the review. */
  CrosswalkAttributesChanged: event(z.object({ sourceFieldId: Id, targetFieldId: Id })),
  /** It changes what translate answers: like the attributes it reopens the review. */
  CrosswalkUnmappedChanged: event(z.object({ unmapped: Unmapped })),
  /** The first value was mapped: attributes are locked from here on. */
  CrosswalkValuesStarted: event(z.object({})),
  CrosswalkSubmitted: event(Said),
  CrosswalkRecalled: event(Said),
  CrosswalkApproved: event(Said),
  CrosswalkRejected: event(SaidWhy),
  CrosswalkRevoked: event(SaidWhy),
  /** What was being changed about an approved definition is given up: it stands as it serves. */
  CrosswalkDiscarded: event(Said),
  CrosswalkDeletionRequested: event(Said),
  CrosswalkDeleted: event(Said),
  /** It is a draft again, with its values as they were left: what was approved of it is reviewed again. */
  CrosswalkRestored: event(Said),
  /** What a command did to it is taken back: it stands as it is told here. */
  CrosswalkUndone: event(z.object({ undoes: z.uuid(), to: standing(Definition), comment: z.string().optional() }), 2, {
    1: (data) => withDefaultsOf(data as UndoneBefore),
  }),
  CrosswalkAbandoned: event(z.object({ id: Id, sourceSystemId: Id, targetSystemId: Id })),
};
export type CrosswalkEvent = EventsOf<typeof crosswalkEvents>;

export type CrosswalkDefinition = z.infer<typeof Definition>;

/** The header is reviewed like a value: what is approved is its definition. */
export interface Crosswalk extends Tracked<CrosswalkDefinition> {
  id: number;
  hasValues: boolean;
}

type Acted = Parameters<typeof actOf>[0];

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

/** Folds one event into a crosswalk's header. */
export function evolveCrosswalk(state: Crosswalk | undefined, event: CrosswalkEvent & Acted): Crosswalk | undefined {
  const act = actOf(event);
  if (event.type === 'CrosswalkDefined') {
    return { ...drafted(event.data, act), id: event.data.id, hasValues: false };
  }
  if (event.type === 'CrosswalkAbandoned') {
    const { id, sourceSystemId, targetSystemId } = event.data;
    const details = { name: '', description: '', similarityThreshold: 0, ...CROSSWALK_DEFAULTS };
    const nothing = { id, ...details, sourceFieldId: 0, targetFieldId: 0 };
    return { ...drafted({ ...nothing, sourceSystemId, targetSystemId }, act), id, hasValues: false, deleted: true };
  }
  if (state === undefined) return undefined;
  switch (event.type) {
    case 'CrosswalkDetailsChanged': {
      // Names and thresholds say nothing about which value maps to which: they are not reviewed. But an approver sees
      // them, and nobody approves what they wrote themselves.
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

const Confidence = z.number().min(0).max(100);
/** Where a pair came from: typed by a person, taken from a suggestion, or imported. */
const Origin = z.enum(['MANUAL', 'SUGGESTION', 'IMPORT']);

/** A mapped value as it is asked for: from here on it is spelled as keys are. */
export const MappedText = z.string().transform(normaliseText).pipe(Text);

const MAPPED_TEXTS: ReadonlySet<string> = new Set(['sourceValue', 'targetValue']);

/** Data of the days when mapped values were kept as they came, spelled as today; the same data where all of them are. */
function respelled(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  let isSame = true;
  const entries = Object.entries(data).map(([name, value]): [string, unknown] => {
    const today = typeof value === 'string' && MAPPED_TEXTS.has(name) ? normaliseText(value) : respelled(value);
    isSame &&= today === value;
    return [name, today];
  });
  if (isSame) return data;
  return Array.isArray(data) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

const Value = z.object({ targetValue: Text, confidence: Confidence });

export const mappingEvents = {
  MappingsDrafted: event(
    z.object({
      rows: z.array(z.object({ id: Id, sourceValue: Text, targetValue: Text, confidence: Confidence, origin: Origin })),
    }),
    2,
    { 1: respelled },
  ),
  MappingsEdited: event(
    z.object({ rows: z.array(z.object({ id: Id, targetValue: Text, confidence: Confidence })) }),
    2,
    { 1: respelled },
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
  /** What a command did to these rows is taken back: each stands as it is told here. */
  MappingsUndone: event(undoneRows(Value), 2, { 1: respelled }),
};
export type MappingEvent = EventsOf<typeof mappingEvents>;

export const suggestionEvents = {
  /** Pairs that were suggested and that somebody said are none: they are suggested to nobody any more. */
  SuggestionsDismissed: event(z.object({ rows: z.array(z.object({ id: Id, sourceValue: Text, targetValue: Text })) })),
  /** Dismissals are taken back: their pairs may be suggested again. */
  SuggestionsRestored: event(z.object({ ids: z.array(Id) })),
};
export type SuggestionEvent = EventsOf<typeof suggestionEvents>;

/** What lies in a bucket of mapping values: the values, and what was said of suggestions for the same source values. */
export const mappingBucketEvents = { ...mappingEvents, ...suggestionEvents };
export type MappingBucketEvent = MappingEvent | SuggestionEvent;

export type MappingValue = z.infer<typeof Value>;

export interface Mapping extends Tracked<MappingValue> {
  id: number;
  sourceValue: string;
}

/** A source value and a target that are, or might be, mapped to each other. */
export interface MappedPair {
  sourceValue: string;
  targetValue: string;
}
export const pairKey = ({ sourceValue, targetValue }: MappedPair): string => JSON.stringify([sourceValue, targetValue]);

/** One bucket of a crosswalk's values, by source value. Folded in place. */
export interface MappingBucket {
  rows: Map<number, Mapping>;
  /** Dismissed pairs by the id of their dismissal, with who dismissed them and when; and these ids by pairKey. */
  dismissed: Map<number, MappedPair & Act>;
  dismissals: Map<string, number>;
}

export const emptyMappingBucket = (): MappingBucket => ({
  rows: new Map(),
  dismissed: new Map(),
  dismissals: new Map(),
});

/** The key that names a value's bucket: its source value. */
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

/** Folds one event into one of the rows it touches; undefined for a row that is not there. */
export function evolveMapping(
  row: Mapping | undefined,
  event: MappingEvent & Acted,
  index: number,
): Mapping | undefined {
  const act = actOf(event);
  if (event.type === 'MappingsDrafted') {
    const drawn = event.data.rows[index];
    if (!drawn) return row;
    const { id, sourceValue, targetValue, confidence } = drawn;
    return { ...drafted({ targetValue, confidence }, act), id, sourceValue };
  }
  if (row === undefined) return undefined;
  if (event.type === 'MappingsEdited') {
    const edit = event.data.rows[index];
    if (!edit) return row;
    const value = { targetValue: edit.targetValue, confidence: edit.confidence };
    return { ...row, ...review(row, { fact: 'edited', value }, act) };
  }
  if (event.type === 'MappingsUndone') {
    const to: Standing<MappingValue> | undefined = event.data.rows[index]?.to;
    return to ? { ...row, ...review(row, { fact: 'undone', to }, act) } : row;
  }
  return { ...row, ...review(row, { fact: MAPPING_FACTS[event.type] }, act) };
}

/** Folds one event into a bucket, in place. */
export function evolveMappings(state: MappingBucket, event: MappingBucketEvent & Acted): MappingBucket {
  if (event.type === 'SuggestionsDismissed') {
    const act = actOf(event);
    for (const { id, ...pair } of event.data.rows) {
      state.dismissed.set(id, { ...pair, ...act });
      state.dismissals.set(pairKey(pair), id);
    }
    return state;
  }
  if (event.type === 'SuggestionsRestored') {
    for (const id of event.data.ids) {
      const pair = state.dismissed.get(id);
      state.dismissed.delete(id);
      if (pair) state.dismissals.delete(pairKey(pair));
    }
    return state;
  }
  touchedRows(event).forEach((id, index) => {
    const row = evolveMapping(state.rows.get(id), event, index);
    if (row) state.rows.set(id, row);
  });
  return state;
}

export const missingMappingEvents = {
  /** Told once per value; how often it is asked for is telemetry. */
  MissingMappingRequested: event(z.object({ requests: z.array(z.object({ id: Id, sourceValue: Text })) }), 2, {
    1: respelled,
  }),
  MissingMappingIgnored: event(z.object({ ids: z.array(Id), comment: z.string() })),
  MissingMappingReopened: event(z.object({ ids: z.array(Id) })),
};
export type MissingMappingEvent = EventsOf<typeof missingMappingEvents>;

export interface MissingMappings {
  /** Source value → id, the first one: before they were spelled alike, two could be of one value. */
  ids: Map<string, number>;
  known: Set<number>;
  ignored: Set<number>;
  /** Why each was ignored last, also where it is listed again since. */
  reasons: Map<number, string>;
}
export const emptyMissingMappings = (): MissingMappings => ({
  ids: new Map(),
  known: new Set(),
  ignored: new Set(),
  reasons: new Map(),
});

/** Folds one event into a crosswalk's missing mappings, in place. */
export function evolveMissingMappings(state: MissingMappings, event: MissingMappingEvent): MissingMappings {
  switch (event.type) {
    case 'MissingMappingRequested':
      for (const { id, sourceValue } of event.data.requests) {
        if (!state.ids.has(sourceValue)) state.ids.set(sourceValue, id);
        state.known.add(id);
      }
      return state;
    case 'MissingMappingIgnored':
      for (const id of event.data.ids) {
        state.ignored.add(id);
        state.reasons.set(id, event.data.comment);
      }
      return state;
    case 'MissingMappingReopened':
      for (const id of event.data.ids) state.ignored.delete(id);
      return state;
  }
}

export type CrosswalkRoomEvent = CrosswalkEvent | MappingBucketEvent | MissingMappingEvent;
export const isMappingEvent = (event: DomainEvent): event is MappingEvent => event.type in mappingEvents;
export const isSuggestionEvent = (event: DomainEvent): event is SuggestionEvent => event.type in suggestionEvents;

const LabelField = Name(WORDS.attributeNameRequired).nullable().optional();
/** Names of the label fields of this crosswalk alone; null: those of the data sets. */
const LabelFields = { sourceLabelField: LabelField, targetLabelField: LabelField };

/** POST /api/crosswalks. Attributes are field names of the two data sets' types. */
export const DefineCrosswalk = z.object({
  name: Name(WORDS.mappingNameRequired),
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
  name: Name(WORDS.mappingNameRequired).optional(),
  description: Description.optional(),
  similarityThreshold: z.number().min(0).max(1).optional(),
  cardinality: Cardinality.optional(),
  unmapped: Unmapped.optional(),
  sourceAttribute: Name(WORDS.attributeNameRequired).optional(),
  targetAttribute: Name(WORDS.attributeNameRequired).optional(),
  ...LabelFields,
});
export type ChangeCrosswalk = z.infer<typeof ChangeCrosswalk>;

/** POST /api/crosswalks/{id}/duplicate: the same definition under another name, with its mappings as drafts or without. */
export const DuplicateCrosswalk = z.object({
  name: Name(WORDS.mappingNameRequired),
  mappings: z.boolean().default(false),
  /** Says what would be copied and what would stay behind; nothing is written. */
  preview: z.boolean().default(false),
});
export type DuplicateCrosswalk = z.infer<typeof DuplicateCrosswalk>;

/** POST /api/crosswalks/{id}/reverse: source and target change places, in the mappings, too. */
export const ReverseCrosswalk = DuplicateCrosswalk.extend({ mappings: z.boolean().default(true) });

/** Mappings that one duplicate or reverse takes along. */
export const COPIED_MAPPINGS_MAX = 100_000;

/** Answer of …/duplicate and …/reverse. */
export interface CrosswalkCopied {
  /** The new crosswalk; null for a preview. */
  id: number | null;
  revision: number | null;
  /** Mappings that are taken along, as drafts. */
  copied: number;
  /** Values of the new source that have several targets. */
  ambiguous: number;
  /** How many mappings stay behind, and the first hundred of them as they stand in the original. */
  left: number;
  leftBehind: { id: number; sourceValue: string; targetValue: string; message: string }[];
}

const NewMapping = z.object({
  sourceValue: MappedText,
  targetValue: MappedText,
  confidence: Confidence.default(CROSSWALK_CONFIDENCE_DEFAULT),
  origin: Origin.default('MANUAL'),
});

/** POST /api/missing-mappings/{id}/map: what the missing value is mapped to, as a draft. */
export const MapMissingMapping = NewMapping.omit({ sourceValue: true });

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
    .superRefine(namedOnce),
});
export type EditMappings = z.infer<typeof EditMappings>;

/** POST /api/crosswalks/{id}/suggestions/dismiss: pairs that are not to be suggested any more. */
export const DismissSuggestions = z.object({
  rows: z
    .array(z.object({ sourceValue: MappedText, targetValue: MappedText }))
    .min(1)
    .max(BULK_ANSWER_ROWS),
});
export type DismissSuggestions = z.infer<typeof DismissSuggestions>;

/** POST /api/crosswalks/{id}/suggestions/restore: dismissals that are taken back. */
export const RestoreSuggestions = z.object({ ids: z.array(Id).min(1).max(BULK_ANSWER_ROWS) });
export type RestoreSuggestions = z.infer<typeof RestoreSuggestions>;

/**
 * What a request is made for, in the words of the system that asks: a process, a job, a screen. Never personal data: it is
 * kept, and shown to whoever may read the crosswalk. Blank says nothing.
 */
export const RequestContext = z
  .string()
  .trim()
  .max(200)
  .optional()
  .transform((text) => text || undefined);

export const TranslateValues = z.object({
  values: z.array(z.string().max(MAPPED_CHARACTERS_MAX)).min(1).max(TRANSLATE_VALUES_MAX),
  context: RequestContext,
});
export type TranslateValues = z.infer<typeof TranslateValues>;

/** POST /api/missing-mappings: a value somebody asks to be mapped. Its context goes by either name: translate's, or the list's. */
export const RequestMissingMapping = z
  .object({
    crosswalkId: Id,
    sourceValue: z.string({ error: WORDS.sourceValueRequired }).min(1, WORDS.sourceValueRequired).pipe(MappedText),
    context: RequestContext,
    requestContext: RequestContext,
  })
  .transform(({ requestContext, context = requestContext, ...asked }) => ({ ...asked, context }));

/** Missing mappings of any crosswalk: by id, or a frozen selection, of which a call answers so many from a place on. */
const MissingRows = z.union([
  z.object({ ids: z.array(Id).min(1).max(BULK_ANSWER_ROWS) }),
  z.object({ selectionId: z.uuid(), from: z.number().int().min(0).default(0) }),
]);
/** POST /api/missing-mappings/ignore: a reason is required, or that each be ignored again for the one it was last. */
export const IgnoreMissingMappings = z
  .union([z.object({ comment: Reason }), z.object({ again: z.literal(true) })])
  .and(MissingRows);
/** POST /api/missing-mappings/reopen. */
export const ReopenMissingMappings = MissingRows;
export type ChosenMissing = z.infer<typeof MissingRows>;

/** One row of GET /api/crosswalks. */
export interface CrosswalkView {
  id: number;
  name: string;
  description: string;
  sourceSystemId: number;
  targetSystemId: number;
  sourceName: string;
  targetName: string;
  sourceAttribute: string;
  targetAttribute: string;
  /** The label field of each side; null where there is none beside the attribute. */
  sourceLabelField: string | null;
  targetLabelField: string | null;
  /** The label fields that this crosswalk chose in place of those of its data sets. */
  chosenSourceLabelField: string | null;
  chosenTargetLabelField: string | null;
  sourceFieldId: number;
  targetFieldId: number;
  similarityThreshold: number;
  cardinality: CrosswalkCardinality;
  unmapped: Unmapped;
  approvalStatus: ApprovalStatus;
  deletionRequested: boolean;
  isServed: boolean;
  submittedBy: number | null;
  /** The last approval of the definition; null where there was none. */
  approvedBy: number | null;
  approvedAt: string | null;
  authors: number[];
  /** Its last act was the deletion: `updatedBy` and `updatedAt` say by whom and when. */
  deleted: boolean;
  /** Values by status of their working revision, and those served. */
  counts: { draft: number; pending: number; approved: number; rejected: number; served: number };
  /** Rows of the source with a served mapping, of all its rows; 0 to 100, or null for an empty source. */
  mappedPercent: number | null;
  /** Requests without an answer; null of the past, which does not know them. */
  missingCount: number | null;
  level: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
  revision: number;
  lastApprovedAt: string | null;
  createdAt: string;
  updatedBy: number | null;
  updatedAt: string;
}

/** How often translate was asked for a source value, known or not. It is counted, not recorded: it has no past. */
export interface RequestImpact {
  requests: number;
  firstRequestedAt: string | null;
  lastRequestedAt: string | null;
}

/** One row of GET /api/crosswalks/{id}/mappings. */
export interface MappingView {
  id: number;
  revision: number;
  crosswalkId: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  /** Specification §3 calls a value's status so; a header's is `approvalStatus`. */
  status: ApprovalStatus;
  served: MappingValue | null;
  deletionRequested: boolean;
  /** Labels of the two rows: the first field beside the mapped attribute, where the data set has one. */
  sourceLabel: string | null;
  targetLabel: string | null;
  /** No row has the value any more: the source's, the target's, the served target's. */
  sourceMissing: boolean;
  targetMissing: boolean;
  servedMissing: boolean;
  authors: number[];
  createdBy: number | null;
  /** Null for a source value without a mapping. */
  createdAt: string | null;
  submittedBy: number | null;
  submittedAt: string | null;
  /** The comment of the last submission. */
  submissionComment: string | null;
  approvedBy: number | null;
  approvedAt: string | null;
  rejectedBy: number | null;
  rejectedAt: string | null;
  rejectionReason: string | null;
  /** Its last act was the deletion: by whom and when. */
  deleted: boolean;
  updatedBy: number | null;
  updatedAt: string;
  /** Of its source value; null as of the past. */
  impact: RequestImpact | null;
}

/** One row of GET /api/crosswalks/{id}/suggestions: a source value that has no mapping, with its candidates. */
export interface SuggestionView {
  sourceValue: string;
  sourceLabel: string | null;
  candidates: { targetValue: string; targetLabel: string | null; confidence: number; reason: string }[];
}

/** One entry of GET /api/crosswalks/{id}/history. */
export interface CrosswalkHistoryView extends VersionView {
  /** What it said then; the attributes by the names that their fields had. */
  definition: Pick<
    CrosswalkView,
    | 'name'
    | 'description'
    | 'similarityThreshold'
    | 'cardinality'
    | 'unmapped'
    | 'chosenSourceLabelField'
    | 'chosenTargetLabelField'
  > & {
    sourceAttribute: string | null;
    targetAttribute: string | null;
  };
}

/**
 * One entry of GET /api/crosswalks/{id}/mappings/{valueId}/history: a version of the value, under the names of
 * VersionView and under those of specification §3.
 */
export interface MappingHistoryView extends VersionView, Dates {
  /** The number of its event in the audit log, as `seq`. */
  id: number;
  mappingId: number;
  crosswalkId: number;
  targetValue: string;
  confidence: number;
  changeType: string;
  previousStatus: VersionStatus | null;
  previousValue: MappingValue | null;
  newValue: MappingValue;
  changedBy: number | null;
  changedAt: string;
  changeReason: string | null;
  metadata: VersionMetadata;
}

/** Answer of GET /api/crosswalks/{id}/translate?value=. */
export interface TranslationView {
  value: string;
  results: {
    targetValue: string;
    mappingId: number;
    confidence: number;
    approvedBy: number | null;
    approvedAt: string | null;
    /** The event that approved it: its id, and its seq in the audit log. */
    approvedEventId: string;
    approvedSeq: number;
  }[];
  /** What the crosswalk yields for a value without results; left out where that is nothing. */
  fallback?: { targetValue: string; yields: Exclude<Unmapped['yields'], 'NOTHING'> };
}

/**
 * `broken`: mappings whose target is gone. `deleted`: those that no other tab lists any more. `dismissed`: pairs that are
 * not suggested any more.
 */
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

export type { RowOutcome } from './reviewed-rows.ts';
