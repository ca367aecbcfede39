/** Specifies the rules for relationships, for attributes of relationships, and for deletions of relationships. */
import {
  type DoneFact,
  REVIEW_REFUSALS,
  type Relationship,
  type RelationshipEvent,
  type Reviewer,
} from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { type Past, specify } from '../testing/given.ts';
import {
  abandonRelationship,
  changeAttribute,
  changeRelationship,
  type DeletionVerb,
  defineAttribute,
  defineCopy,
  defineRelationship,
  lockRules,
  removeAttribute,
  reviewDeletion,
} from './decider.ts';
import { undoDeletion } from './undo.ts';

const STEWARD = 1;
const APPROVER = 2;
const { given } = specify(kinds.relationship, STEWARD);
const data = {
  id: 4,
  name: 'is in',
  relationshipType: '',
  cardinality: 'MANY_TO_ONE',
  sourceDataSetId: 1,
  targetDataSetId: 2,
  sourceFieldId: 1,
  targetFieldId: 1,
  allowSelfRelationship: false,
} as const;
const defined: RelationshipEvent = { type: 'RelationshipDefined', data };
const started: RelationshipEvent = { type: 'RelationshipValuesStarted', data: {} };
const attribute = { attributeId: 1, name: 'since', dataType: 'date', isRequired: false, description: '' } as const;
const withAttribute: RelationshipEvent = { type: 'RelationshipAttributeDefined', data: attribute };
const deleted: RelationshipEvent = { type: 'RelationshipDeleted', data: {} };
const requested: Past<RelationshipEvent> = { type: 'RelationshipDeletionRequested', data: {} };

describe('a relationship', () => {
  it('is defined once', () => {
    given()
      .when((state) => defineRelationship(state, data))
      .then(defined);
    given(defined)
      .when((state) => defineRelationship(state, data))
      .thenRefused('CONFLICT');
  });
  it('is copied with its attributes, whose ids start at 1', () =>
    given()
      .when((state) => defineCopy(state, data, [{ ...attribute, attributeId: 3, removed: false }]))
      .then(defined, withAttribute));
  it('cannot be created after it was abandoned', () => {
    const ends = { id: 4, sourceDataSetId: 1, targetDataSetId: 2 };
    given()
      .when((state) => abandonRelationship(state, ends))
      .then({ type: 'RelationshipAbandoned', data: ends });
    given({ type: 'RelationshipAbandoned', data: ends })
      .when((state) => defineRelationship(state, data))
      .thenRefused('CONFLICT');
  });
  it('is renamed with the current revision only', () => {
    const renamed: RelationshipEvent = { type: 'RelationshipDetailsChanged', data: { name: 'lies in' } };
    given(defined)
      .when((state) => changeRelationship(state, { name: 'lies in' }, 1))
      .then(renamed);
    given(defined, renamed)
      .when((state) => changeRelationship(state, { name: 'lies in' }, 2))
      .thenNothing();
    given(defined, renamed)
      .when((state) => changeRelationship(state, { name: 'is near' }, 1))
      .thenRefused('STALE');
    given(defined, deleted)
      .when((state) => changeRelationship(state, { name: 'is near' }, undefined))
      .thenRefused('NOT_FOUND');
  });
});

describe('the cardinality and self-relation of a relationship', () => {
  it('can change until the first value', () => {
    given(defined)
      .when((state) => changeRelationship(state, { cardinality: 'ONE_TO_ONE' }, 1))
      .then({ type: 'RelationshipRulesChanged', data: { cardinality: 'ONE_TO_ONE', allowSelfRelationship: false } });
    given(defined, started)
      .when((state) => changeRelationship(state, { cardinality: 'ONE_TO_ONE' }, 1))
      .thenRefused('CONFLICT');
    given(defined, started)
      .when((state) => changeRelationship(state, { allowSelfRelationship: true }, 1))
      .thenRefused('CONFLICT');
  });
  it('can be sent unchanged while other properties change', () =>
    given(defined, started)
      .when((state) => changeRelationship(state, { cardinality: 'MANY_TO_ONE', relationshipType: 'place' }, 1))
      .then({ type: 'RelationshipDetailsChanged', data: { relationshipType: 'place' } }));
  it('are locked once', () => {
    given(defined).when(lockRules).then(started);
    given(defined, started).when(lockRules).thenNothing();
    given(defined, deleted).when(lockRules).thenRefused('NOT_FOUND');
  });
});

describe('attributes of a relationship', () => {
  const { attributeId: _, ...definition } = attribute;
  it('have unique names, regardless of case', () => {
    given(defined)
      .when((state) => defineAttribute(state, definition, 1))
      .then(withAttribute);
    given(defined, withAttribute)
      .when((state) => defineAttribute(state, { ...definition, name: ' Since' }, 2))
      .thenRefused('NAME_TAKEN');
  });
  it('can be renamed to the same name in another case', () =>
    given(defined, withAttribute)
      .when((state) => changeAttribute(state, { id: 1, name: 'Since' }, 2, 0))
      .then({ type: 'RelationshipAttributeChanged', data: { attributeId: 1, name: 'Since' } }));
  it('never reuse the id of a removed attribute', () =>
    given(defined, withAttribute, { type: 'RelationshipAttributeRemoved', data: { attributeId: 1 } })
      .when((state) => defineAttribute(state, definition, 3))
      .then({ type: 'RelationshipAttributeDefined', data: { ...attribute, attributeId: 2 } }));
  it('keep their data type from the first value on', () => {
    given(defined, withAttribute)
      .when((state) => changeAttribute(state, { id: 1, dataType: 'string' }, 2, 0))
      .then({ type: 'RelationshipAttributeChanged', data: { attributeId: 1, dataType: 'string' } });
    given(defined, withAttribute, started)
      .when((state) => changeAttribute(state, { id: 1, dataType: 'string' }, 2, 0))
      .thenRefused('CONFLICT');
    given(defined, withAttribute, started)
      .when((state) => changeAttribute(state, { id: 1, isRequired: true }, 2, 0))
      .then({ type: 'RelationshipAttributeChanged', data: { attributeId: 1, isRequired: true } });
  });
  it('are removed once', () => {
    const removed: RelationshipEvent = { type: 'RelationshipAttributeRemoved', data: { attributeId: 1 } };
    given(defined, withAttribute)
      .when((state) => removeAttribute(state, 1, 2, 0))
      .then(removed);
    given(defined, withAttribute, removed)
      .when((state) => removeAttribute(state, 1, 3, 0))
      .thenRefused('NOT_FOUND');
  });
});

describe('an attribute that pending values use', () => {
  const past = [defined, withAttribute, started];
  it('is neither removed nor renamed until the values are decided', () => {
    given(...past)
      .when((state) => removeAttribute(state, 1, 2, 1))
      .thenRefused(
        'CONFLICT',
        'A value under review uses the attribute "since": wait until it is decided, or recall it first',
      );
    given(...past)
      .when((state) => changeAttribute(state, { id: 1, name: 'until' }, 2, 3))
      .thenRefused('CONFLICT');
  });
  it('can still change its description and become required', () =>
    given(...past)
      .when((state) => changeAttribute(state, { id: 1, isRequired: true, description: 'First day' }, 2, 3))
      .then({
        type: 'RelationshipAttributeChanged',
        data: { attributeId: 1, isRequired: true, description: 'First day' },
      }));
});

describe('deleting a relationship', () => {
  const steward: Reviewer = { userId: STEWARD, level: 'ADMIN' };
  const approver: Reviewer = { userId: APPROVER, level: 'APPROVER' };
  const act =
    (verb: DeletionVerb, by: Reviewer, revision: number | undefined, hasBeenApproved = false) =>
    (state: Parameters<typeof reviewDeletion>[0]) =>
      reviewDeletion(state, verb, by, { revision, comment: undefined, hasBeenApproved });

  it('takes effect at once if no value was ever approved', () => {
    given(defined)
      .when(act('delete', steward, 1))
      .then(deleted);
    given(defined)
      .when(act('delete', steward, 2))
      .then()
      .refusing(4, 'STALE');
    given(defined, deleted)
      .when(act('delete', steward, undefined))
      .then()
      .refusing(4, 'DELETED');
  });
  it('requires an administrator of the source data set', () =>
    given(defined)
      .when(act('delete', approver, 1))
      .then()
      .refusing(4, 'LEVEL'));
  it('requires a review if a value was ever approved', () => {
    given(defined)
      .when(act('delete', steward, 1, true))
      .then({ type: 'RelationshipDeletionRequested', data: {} });
    given(defined, requested)
      .when(act('delete', steward, 2, true))
      .then()
      .refusing(4, 'PENDING');
    given(defined, requested)
      .when((state) => changeRelationship(state, { name: 'is near' }, 2))
      .thenRefused('CONFLICT', REVIEW_REFUSALS.PENDING);
  });
  it('is reviewed by another user', () => {
    given(defined, requested)
      .when(act('approve', steward, 2))
      .then()
      .refusing(4, 'FOUR_EYES');
    given(defined, requested)
      .when(act('approve', approver, 2))
      .then({ type: 'RelationshipDeletionApproved', data: {} });
    expect(given(defined, requested, { type: 'RelationshipDeletionApproved', data: {} }).state()?.deleted).toBe(true);
  });
  it('leaves the relationship unchanged when the deletion is rejected or recalled', () => {
    for (const end of ['RelationshipDeletionRejected', 'RelationshipDeletionRecalled'] as const) {
      const state = given(defined, requested, { type: end, data: { comment: 'still used' } }).state();
      expect(state).toMatchObject({ deleted: false, deletionRequested: false, approvalStatus: 'APPROVED' });
    }
    given(defined, requested)
      .when(act('recall', steward, 2))
      .then({ type: 'RelationshipDeletionRecalled', data: {} });
  });

  const restored: RelationshipEvent = { type: 'RelationshipRestored', data: {} };
  const deletionApproved: Past<RelationshipEvent> = { type: 'RelationshipDeletionApproved', data: {}, by: APPROVER };

  it('can be reversed by a restoration', () => {
    given(defined, withAttribute, started, deleted)
      .when(act('restore', steward, 3))
      .then(restored);
    expect(given(defined, withAttribute, started, deleted, restored).state()).toMatchObject({
      deleted: false,
      approvalStatus: 'APPROVED',
      served: data,
      authors: [],
      hasValues: true,
      attributes: [{ attributeId: 1, removed: false }],
      revision: 4,
    });
    given(defined, deleted)
      .when(act('restore', approver, 2))
      .then()
      .refusing(4, 'LEVEL');
    given(defined)
      .when(act('restore', steward, 1))
      .then()
      .refusing(4, 'NOT_DELETED');
    given({ type: 'RelationshipAbandoned', data: { id: 4, sourceDataSetId: 1, targetDataSetId: 2 } })
      .when(act('restore', steward, 1))
      .then()
      .refusing(4, 'NOT_FOUND');
  });
  // A restoration would serve the approved values without another review.
  it('is final after a review', () =>
    given(defined, started, requested, deletionApproved)
      .when(act('restore', steward, 3))
      .then()
      .refusing(4, 'FINAL'));
  it('can be undone', () => {
    const undo =
      (fact: DoneFact, past: Past<RelationshipEvent>[], by: Reviewer) => (relationship: Relationship | undefined) =>
        undoDeletion(
          relationship,
          {
            id: 4,
            fact,
            before: given(...past).state() as Relationship,
            revision: relationship?.revision ?? 0,
            by: by.userId,
            approvedAuthors: [],
          },
          by,
          { undoes: '0b2f7c1e-6a53-5d0e-9a3d-2f4d1c7a9e10', comment: undefined },
        );
    given(defined, deleted)
      .when(undo('deleted', [defined], steward))
      .then(restored);
    given(defined, deleted, restored)
      .when(undo('restored', [defined, deleted], steward))
      .then(deleted);
    const past = [defined, started, requested, deletionApproved];
    const { events } = undo('approved', [defined, started, requested], approver)(given(...past).state());
    const stateAfterUndo = given(...past, ...events).state();
    expect(stateAfterUndo).toMatchObject({
      deleted: false,
      deletionRequested: true,
      approvalStatus: 'PENDING',
      served: data,
    });
    // The undone approval leaves no trace in the state.
    expect(stateAfterUndo?.approvedAt).toBe(null);
  });
});
