/** Relationship definitions between two data sets. */
import { Refusal, type Relationship, type RelationshipEvent } from '@rdm/contracts';
import { type Decision, decided } from '../decision.ts';

export function defineRelationship(
  relationship: Relationship | undefined,
  definition: Extract<RelationshipEvent, { type: 'RelationshipDefined' }>['data'],
): Decision<RelationshipEvent> {
  if (relationship) {
    throw new Refusal('CONFLICT', 'Creating this relationship was given up meanwhile: create it again');
  }
  if (definition.sourceDataSetId === definition.targetDataSetId && !definition.allowSelfRelationship) {
    throw new Refusal('INVALID', 'A relationship of a data set with itself must be allowed first');
  }
  return decided({ type: 'RelationshipDefined', data: definition });
}

/** Closes the stream of a relationship that never came to be; says whether it is closed. */
export function abandonRelationship(
  relationship: Relationship | undefined,
  data: { id: number; sourceDataSetId: number; targetDataSetId: number },
): Decision<RelationshipEvent, { abandoned: boolean }> {
  if (relationship) return { events: [], result: { abandoned: relationship.deleted } };
  return { events: [{ type: 'RelationshipAbandoned', data }], result: { abandoned: true } };
}

export function deleteRelationship(
  relationship: Relationship | undefined,
  seen: number | undefined,
): Decision<RelationshipEvent> {
  if (!relationship || relationship.deleted) throw new Refusal('NOT_FOUND', 'This relationship does not exist');
  if (seen !== undefined && seen !== relationship.revision) {
    throw new Refusal('STALE', 'Somebody else changed this relationship meanwhile', { current: relationship });
  }
  return decided({ type: 'RelationshipDeleted', data: {} });
}
