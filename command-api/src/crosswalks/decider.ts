/** Rules of crosswalks: definition, attributes, review and deletion. */
import {
  type ChangeCrosswalk,
  type Crosswalk,
  type CrosswalkDefinition,
  type CrosswalkEvent,
  DEFINITION_LEVEL,
  REVIEW_REFUSALS,
  Refusal,
  type Reviewer,
  type ReviewVerb,
  type RowOutcome,
  refusal,
  type Unmapped,
} from '@rdm/contracts';
import { refusedRow, refusedWithChange } from '../review/row-review.ts';
import { type Decision, decided, type RowsDecision } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

/** The fields that a crosswalk maps between. */
export type CrosswalkFields = Pick<CrosswalkDefinition, 'sourceFieldId' | 'targetFieldId'>;
/** The label fields that override the label fields of the data sets. */
export type CrosswalkLabels = Pick<CrosswalkDefinition, 'sourceLabelFieldId' | 'targetLabelFieldId'>;
/** The changes of a crosswalk, with fields by id. */
type Changes = Omit<ChangeCrosswalk, `${'source' | 'target'}${'Attribute' | 'LabelField'}`> & CrosswalkLabels;

export function existingCrosswalk(crosswalk: Crosswalk | undefined): Crosswalk {
  if (!crosswalk || crosswalk.deleted) throw new Refusal('NOT_FOUND', 'This crosswalk does not exist');
  return crosswalk;
}

export function defineCrosswalk(
  crosswalk: Crosswalk | undefined,
  definition: CrosswalkDefinition,
): Decision<CrosswalkEvent> {
  if (crosswalk) throw new Refusal('CONFLICT', 'The creation of this crosswalk was abandoned: create it again');
  return decided({ type: 'CrosswalkDefined', data: definition });
}

/** Records that the creation of a crosswalk was refused; `abandoned` is false if the crosswalk exists. */
export function abandonCrosswalk(
  crosswalk: Crosswalk | undefined,
  data: { id: number; sourceSystemId: number; targetSystemId: number },
): Decision<CrosswalkEvent, { abandoned: boolean }> {
  if (crosswalk) return { events: [], result: { abandoned: crosswalk.deleted } };
  return { events: [{ type: 'CrosswalkAbandoned', data }], result: { abandoned: true } };
}

export function changeCrosswalk(
  crosswalk: Crosswalk | undefined,
  { unmapped, ...details }: Changes,
  attributes: CrosswalkFields | undefined,
  expectedRevision: number | undefined,
): Decision<CrosswalkEvent, { before: CrosswalkDefinition }> {
  const current = requireExpectedRevision(existingCrosswalk(crosswalk), expectedRevision, 'crosswalk');
  const { value } = current;
  const events: CrosswalkEvent[] = [];
  const changed = Object.fromEntries(
    Object.entries(details).filter(
      ([name, wanted]) => wanted !== undefined && wanted !== (value[name as keyof CrosswalkLabels] ?? null),
    ),
  );
  if (Object.keys(changed).length > 0) events.push({ type: 'CrosswalkDetailsChanged', data: changed });
  const remapped =
    attributes &&
    (attributes.sourceFieldId !== value.sourceFieldId || attributes.targetFieldId !== value.targetFieldId);
  if (remapped) {
    if (current.hasValues) {
      throw new Refusal(
        'CONFLICT',
        'The attributes can no longer be changed, because the crosswalk has values: duplicate it instead',
      );
    }
    events.push({ type: 'CrosswalkAttributesChanged', data: attributes });
  }
  if (unmapped && !isSameUnmapped(unmapped, value.unmapped)) {
    events.push({ type: 'CrosswalkUnmappedChanged', data: { unmapped } });
  }
  const isReviewed = events.some(({ type }) => type !== 'CrosswalkDetailsChanged');
  if (isReviewed && current.approvalStatus === 'PENDING') throw new Refusal('CONFLICT', REVIEW_REFUSALS.PENDING);
  return { events, result: { before: value } };
}

const isSameUnmapped = (a: Unmapped, b: Unmapped): boolean =>
  a.yields === b.yields && (a.yields !== 'FIXED' || b.yields !== 'FIXED' || a.value === b.value);

/** Locks the attributes when the first value is drafted: the attributes define the meaning of all values. */
export function lockAttributes(crosswalk: Crosswalk | undefined): Decision<CrosswalkEvent> {
  return existingCrosswalk(crosswalk).hasValues ? decided() : decided({ type: 'CrosswalkValuesStarted', data: {} });
}

/**
 * Submits a draft crosswalk when its values are submitted. Does not submit a served crosswalk: a change of the
 * definition is submitted by the author of the change.
 */
export function submitWithValues(crosswalk: Crosswalk | undefined, by: Reviewer): Decision<CrosswalkEvent> {
  const current = existingCrosswalk(crosswalk);
  if (current.served) return decided();
  return refusal('submit', current, by) === null ? decided({ type: 'CrosswalkSubmitted', data: {} }) : decided();
}

export type DefinitionVerb = Exclude<ReviewVerb, 'edit'>;

/** Applies a review verb to the crosswalk. A deletion needs a review if the crosswalk or a value is served. */
export function reviewDefinition(
  crosswalk: Crosswalk | undefined,
  verb: DefinitionVerb,
  by: Reviewer,
  request: { revision: number | undefined; comment: string | undefined; hasServedValues?: boolean },
): RowsDecision<CrosswalkEvent> {
  const id = crosswalk?.id ?? 0;
  if (!crosswalk) return { events: [], result: [refusedRow(id, 'NOT_FOUND')] };
  const refused = definitionRefusal(crosswalk, verb, by, request.revision);
  if (refused) return { events: [], result: [refusedWithChange(crosswalk, refused)] };
  const done: RowOutcome = { id, outcome: 'done', revision: crosswalk.revision + 1 };
  return { events: [reviewEvent(crosswalk, verb, request)], result: [done] };
}

/** Whether the creation was abandoned: the crosswalk was never visible. */
export const isAbandoned = ({ value }: Crosswalk): boolean => value.sourceFieldId === 0;

function definitionRefusal(
  crosswalk: Crosswalk,
  verb: DefinitionVerb,
  by: Reviewer,
  expectedRevision: number | undefined,
) {
  if (isAbandoned(crosswalk)) return 'NOT_FOUND';
  if (expectedRevision !== undefined && expectedRevision !== crosswalk.revision) return 'STALE';
  const why = refusal(verb, crosswalk, { needed: DEFINITION_LEVEL[verb], ...by });
  if (why || verb !== 'discard' || !crosswalk.served) return why;
  return changesFieldsInUse(crosswalk, crosswalk.served) ? 'LOCKED' : null;
}

/** Whether a change to `fields` would replace fields that mappings use. */
export const changesFieldsInUse = ({ hasValues, value }: Crosswalk, fields: CrosswalkFields): boolean =>
  hasValues && (fields.sourceFieldId !== value.sourceFieldId || fields.targetFieldId !== value.targetFieldId);

function reviewEvent(
  crosswalk: Crosswalk,
  verb: DefinitionVerb,
  request: { comment: string | undefined; hasServedValues?: boolean },
): CrosswalkEvent {
  const data = request.comment === undefined ? {} : { comment: request.comment };
  const reason = { comment: request.comment ?? '' };
  switch (verb) {
    case 'submit':
      return { type: 'CrosswalkSubmitted', data };
    case 'recall':
      return { type: 'CrosswalkRecalled', data };
    case 'approve':
      return { type: 'CrosswalkApproved', data };
    case 'reject':
      return { type: 'CrosswalkRejected', data: reason };
    case 'revoke':
      return { type: 'CrosswalkRevoked', data: reason };
    case 'discard':
      return { type: 'CrosswalkDiscarded', data };
    case 'restore':
      return { type: 'CrosswalkRestored', data };
    case 'delete': {
      const reviewed = crosswalk.served !== null || request.hasServedValues === true;
      return { type: reviewed ? 'CrosswalkDeletionRequested' : 'CrosswalkDeleted', data };
    }
  }
}
