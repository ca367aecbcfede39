/** Rules of relationships: definition, attributes, and deletion by review. */
import {
  activeAttributes,
  type ChangeAttribute,
  type ChangeRelationship,
  DEFINITION_LEVEL,
  type DefineAttribute,
  normaliseName,
  REVIEW_REFUSALS,
  Refusal,
  type Relationship,
  type RelationshipAttribute,
  type RelationshipDefinition,
  type RelationshipEvent,
  type Reviewer,
  type RowOutcome,
  refusal,
} from '@rdm/contracts';
import { refusedRow, refusedWithChange } from '../review/row-review.ts';
import { type Decision, decided, nothing, type RowsDecision } from '../runtime/decision.ts';
import { requireExpectedRevision } from '../runtime/expected-revision.ts';

const ATTRIBUTES_MAX = 100;

export function existingRelationship(relationship: Relationship | undefined): Relationship {
  if (!relationship || relationship.deleted) throw new Refusal('NOT_FOUND', 'This relationship does not exist');
  return relationship;
}

export function defineRelationship(
  relationship: Relationship | undefined,
  definition: RelationshipDefinition,
): Decision<RelationshipEvent> {
  if (relationship) {
    throw new Refusal('CONFLICT', 'The creation of this relationship was abandoned: create it again');
  }
  return decided({ type: 'RelationshipDefined', data: definition });
}

/** Defines a copy with the attributes of the original, renumbered from 1. */
export function defineCopy(
  relationship: Relationship | undefined,
  definition: RelationshipDefinition,
  attributes: readonly RelationshipAttribute[],
): Decision<RelationshipEvent> {
  const { events } = defineRelationship(relationship, definition);
  return decided(
    ...events,
    ...attributes.map(
      ({ removed: _, ...attribute }, index): RelationshipEvent => ({
        type: 'RelationshipAttributeDefined',
        data: { ...attribute, attributeId: index + 1 },
      }),
    ),
  );
}

/** Abandons the creation if the relationship does not exist. `abandoned` is false if it exists and is not deleted. */
export function abandonRelationship(
  relationship: Relationship | undefined,
  data: { id: number; sourceDataSetId: number; targetDataSetId: number },
): Decision<RelationshipEvent, { abandoned: boolean }> {
  if (relationship) return { events: [], result: { abandoned: relationship.deleted } };
  return { events: [{ type: 'RelationshipAbandoned', data }], result: { abandoned: true } };
}

/** Returns the relationship; throws if it is missing, has another revision, or its deletion is pending. */
function requireChangeable(relationship: Relationship | undefined, expectedRevision: number | undefined): Relationship {
  const current = requireExpectedRevision(existingRelationship(relationship), expectedRevision, 'relationship');
  if (current.deletionRequested) throw new Refusal('CONFLICT', REVIEW_REFUSALS.PENDING);
  return current;
}

/** The requested properties that differ from the current ones. */
function differences<T extends object>(requested: { [Name in keyof T]?: T[Name] | undefined }, current: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(requested).filter(([name, value]) => value !== undefined && value !== current[name as keyof T]),
  ) as Partial<T>;
}

export function changeRelationship(
  relationship: Relationship | undefined,
  { cardinality, allowSelfRelationship, ...requested }: ChangeRelationship,
  expectedRevision: number | undefined,
): Decision<RelationshipEvent> {
  const { value, hasValues } = requireChangeable(relationship, expectedRevision);
  const events: RelationshipEvent[] = [];
  const details = differences({ name: requested.name, relationshipType: requested.relationshipType }, value);
  if (Object.keys(details).length > 0) events.push({ type: 'RelationshipDetailsChanged', data: details });
  const rules = {
    cardinality: cardinality ?? value.cardinality,
    allowSelfRelationship: allowSelfRelationship ?? value.allowSelfRelationship,
  };
  if (Object.keys(differences(rules, value)).length > 0) {
    if (hasValues) {
      throw new Refusal(
        'CONFLICT',
        'Cardinality and self-relations can no longer be changed, because the relationship has values: copy it instead',
      );
    }
    events.push({ type: 'RelationshipRulesChanged', data: rules });
  }
  return decided(...events);
}

function requireFreeName(attributes: readonly RelationshipAttribute[], name: string, except?: number): void {
  const isTaken = attributes.some(
    (each) => each.attributeId !== except && normaliseName(each.name) === normaliseName(name),
  );
  if (isTaken)
    throw new Refusal('NAME_TAKEN', `There is an attribute "${name}" already: choose another name`, { name });
}

export function defineAttribute(
  relationship: Relationship | undefined,
  requested: DefineAttribute,
  expectedRevision: number | undefined,
): Decision<RelationshipEvent, { attributeId: number }> {
  const current = requireChangeable(relationship, expectedRevision);
  const active = activeAttributes(current);
  if (active.length >= ATTRIBUTES_MAX) {
    throw new Refusal('INVALID', `A relationship has at most ${ATTRIBUTES_MAX} attributes`);
  }
  requireFreeName(active, requested.name);
  // Ids are not reused, because values keep cells of removed attributes.
  const attributeId = current.attributes.length + 1;
  return {
    events: [{ type: 'RelationshipAttributeDefined', data: { attributeId, ...requested } }],
    result: { attributeId },
  };
}

function activeAttribute(relationship: Relationship, id: number): RelationshipAttribute {
  const attribute = activeAttributes(relationship).find(({ attributeId }) => attributeId === id);
  if (!attribute) throw new Refusal('NOT_FOUND', 'This attribute does not exist');
  return attribute;
}

/** Throws if pending values have a cell of the attribute: otherwise, a reviewer would decide on a changed value. */
function requireNotUnderReview({ name }: RelationshipAttribute, underReview: number): void {
  if (underReview === 0) return;
  const [subject, wait] =
    underReview === 1
      ? ['A value under review uses', 'wait until it is decided, or recall it first']
      : [`${underReview} values under review use`, 'wait until they are decided, or recall them first'];
  throw new Refusal('CONFLICT', `${subject} the attribute "${name}": ${wait}`);
}

/** `underReview` is the number of pending relationship values with a cell of the attribute. */
export function changeAttribute(
  relationship: Relationship | undefined,
  { id, ...requested }: ChangeAttribute,
  expectedRevision: number | undefined,
  underReview: number,
): Decision<RelationshipEvent> {
  const current = requireChangeable(relationship, expectedRevision);
  const attribute = activeAttribute(current, id);
  const changed = differences<RelationshipAttribute>(requested, attribute);
  if (changed.name !== undefined) {
    requireFreeName(activeAttributes(current), changed.name, id);
    requireNotUnderReview(attribute, underReview);
  }
  if (changed.dataType !== undefined && current.hasValues) {
    throw new Refusal(
      'CONFLICT',
      'The data type can no longer be changed, because the relationship has values: add another attribute instead',
    );
  }
  return Object.keys(changed).length === 0
    ? nothing()
    : decided({ type: 'RelationshipAttributeChanged', data: { attributeId: id, ...changed } });
}

export function removeAttribute(
  relationship: Relationship | undefined,
  id: number,
  expectedRevision: number | undefined,
  underReview: number,
): Decision<RelationshipEvent> {
  const current = requireChangeable(relationship, expectedRevision);
  requireNotUnderReview(activeAttribute(current, id), underReview);
  return decided({ type: 'RelationshipAttributeRemoved', data: { attributeId: id } });
}

/**
 * Locks the rules when the first value is drafted, because the rules define the meaning of all values. Returns the
 * current relationship.
 */
export function lockRules(relationship: Relationship | undefined): Decision<RelationshipEvent, Relationship> {
  const current = existingRelationship(relationship);
  return { events: current.hasValues ? [] : [{ type: 'RelationshipValuesStarted', data: {} }], result: current };
}

export type DeletionVerb = 'delete' | 'recall' | 'approve' | 'reject' | 'restore';

/** Whether the creation of the relationship was abandoned, so that the relationship was never visible. */
export const isAbandoned = ({ value }: Relationship): boolean => value.sourceFieldId === 0;

/** Whether the deletion was approved. `approvedAt` belongs to the deletion, because other changes have no review. */
const isDeletionApproved = ({ deleted, approvedAt }: Relationship): boolean => deleted && approvedAt !== null;

/** Applies a verb to the deletion of a relationship, which needs a review once a value was approved. */
export function reviewDeletion(
  relationship: Relationship | undefined,
  verb: DeletionVerb,
  by: Reviewer,
  request: { revision: number | undefined; comment: string | undefined; hasBeenApproved?: boolean },
): RowsDecision<RelationshipEvent> {
  if (!relationship || isAbandoned(relationship)) {
    return { events: [], result: [refusedRow(relationship?.id ?? 0, 'NOT_FOUND')] };
  }
  const { id, revision } = relationship;
  const why =
    request.revision !== undefined && request.revision !== revision
      ? 'STALE'
      : refusal(verb, relationship, { needed: DEFINITION_LEVEL[verb], ...by });
  if (why) return { events: [], result: [refusedWithChange(relationship, why)] };
  // A reviewed deletion is final: a restoration has no review, but would serve the approved values again.
  if (verb === 'restore' && isDeletionApproved(relationship))
    return { events: [], result: [refusedWithChange(relationship, 'FINAL')] };
  const done: RowOutcome = { id, outcome: 'done', revision: revision + 1 };
  return { events: [deletionEvent(verb, request)], result: [done] };
}

function deletionEvent(
  verb: DeletionVerb,
  { comment, hasBeenApproved }: { comment: string | undefined; hasBeenApproved?: boolean },
): RelationshipEvent {
  const data = comment === undefined ? {} : { comment };
  switch (verb) {
    case 'delete':
      return hasBeenApproved
        ? { type: 'RelationshipDeletionRequested', data }
        : { type: 'RelationshipDeleted', data: {} };
    case 'restore':
      return { type: 'RelationshipRestored', data };
    case 'recall':
      return { type: 'RelationshipDeletionRecalled', data };
    case 'reject':
      return { type: 'RelationshipDeletionRejected', data: { comment: comment ?? '' } };
    case 'approve':
      return { type: 'RelationshipDeletionApproved', data };
  }
}
