/** Missing mappings: source values that were requested and have no served mapping. */
import { z } from 'zod';
import { BULK_ANSWER_ROWS } from '../constants.ts';
import { type EventsOf, event } from '../events/event.ts';
import { WORDS } from '../refusal.ts';
import { Id, Reason } from '../text/fields.ts';
import { MappedText, MappedValueText, NewMapping, withNormalisedValues } from './mappings.ts';

export const missingMappingEvents = {
  /** Appended once per value. Further requests of the value are only counted as telemetry. */
  MissingMappingRequested: event(
    z.object({ requests: z.array(z.object({ id: Id, sourceValue: MappedValueText })) }),
    2,
    {
      1: withNormalisedValues,
    },
  ),
  MissingMappingIgnored: event(z.object({ ids: z.array(Id), comment: z.string() })),
  MissingMappingReopened: event(z.object({ ids: z.array(Id) })),
};

export type MissingMappingEvent = EventsOf<typeof missingMappingEvents>;

export interface MissingMappings {
  /** The first id of each source value. Before values were normalised, a value could get two ids. */
  ids: Map<string, number>;
  /** All ids, including second ids. */
  allIds: Set<number>;
  ignored: Set<number>;
  /** The last reason for ignoring each value. Reopening a value does not remove the reason. */
  reasons: Map<number, string>;
}

export const emptyMissingMappings = (): MissingMappings => ({
  ids: new Map(),
  allIds: new Set(),
  ignored: new Set(),
  reasons: new Map(),
});

/** Folds one event into a crosswalk's missing mappings, in place. */
export function evolveMissingMappings(state: MissingMappings, event: MissingMappingEvent): MissingMappings {
  switch (event.type) {
    case 'MissingMappingRequested':
      for (const { id, sourceValue } of event.data.requests) {
        if (!state.ids.has(sourceValue)) state.ids.set(sourceValue, id);
        state.allIds.add(id);
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

/** POST /api/missing-mappings/{id}/map: the target of the missing value, as a draft. */
export const MapMissingMapping = NewMapping.omit({ sourceValue: true });

/**
 * The purpose of a request. The text must not contain personal data, because it is stored and shown to users who may
 * read the crosswalk. A blank text counts as none.
 */
export const RequestContext = z
  .string()
  .trim()
  .max(200)
  .optional()
  .transform((text) => text || undefined)
  .describe(
    'The purpose of the request, such as the name of a process, a job or a screen. It must not contain personal data.',
  );

/**
 * POST /api/missing-mappings. The purpose is `context`, as in translations, or `requestContext`, as in the list of
 * missing mappings; `context` takes precedence.
 */
export const RequestMissingMapping = z
  .object({
    crosswalkId: Id,
    sourceValue: z.string({ error: WORDS.sourceValueRequired }).min(1, WORDS.sourceValueRequired).pipe(MappedText),
    context: RequestContext,
    requestContext: RequestContext,
  })
  .transform(({ requestContext, context = requestContext, ...rest }) => ({ ...rest, context }));

/**
 * Missing mappings of any crosswalks, by ids or by a selection. One call handles the part of the selection that begins
 * at the offset `from`.
 */
const MissingRows = z.union([
  z.object({ ids: z.array(Id).min(1).max(BULK_ANSWER_ROWS) }),
  z.object({ selectionId: z.uuid(), from: z.number().int().min(0).default(0) }),
]);

/** POST /api/missing-mappings/ignore: requires a reason, or `again` to ignore each value for its last reason. */
export const IgnoreMissingMappings = z
  .union([z.object({ comment: Reason }), z.object({ again: z.literal(true) })])
  .and(MissingRows);

/** POST /api/missing-mappings/reopen. */
export const ReopenMissingMappings = MissingRows;

export type SelectedMissingMappings = z.infer<typeof MissingRows>;
