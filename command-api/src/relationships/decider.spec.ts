import type { RelationshipEvent } from '@rdm/contracts';
import { describe, it } from 'vitest';
import { kinds } from '../kinds.ts';
import { specify } from '../testing/given.ts';
import { abandonRelationship, defineRelationship, deleteRelationship } from './decider.ts';

const { given } = specify(kinds.relationship);
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

describe('a relationship', () => {
  it('is defined once', () => {
    given()
      .when((state) => defineRelationship(state, data))
      .then(defined);
    given(defined)
      .when((state) => defineRelationship(state, data))
      .thenRefused('CONFLICT');
  });
  it('leads back to its own data set only when that is allowed', () => {
    const self = { ...data, targetDataSetId: 1 };
    given()
      .when((state) => defineRelationship(state, self))
      .thenRefused('INVALID');
    given()
      .when((state) => defineRelationship(state, { ...self, allowSelfRelationship: true }))
      .then({ type: 'RelationshipDefined', data: { ...self, allowSelfRelationship: true } });
  });
  it('is closed to a late creator', () => {
    const ends = { id: 4, sourceDataSetId: 1, targetDataSetId: 2 };
    given()
      .when((state) => abandonRelationship(state, ends))
      .then({ type: 'RelationshipAbandoned', data: ends });
    given({ type: 'RelationshipAbandoned', data: ends })
      .when((state) => defineRelationship(state, data))
      .thenRefused('CONFLICT');
  });
  it('is deleted once, by somebody who saw it as it is', () => {
    given(defined)
      .when((state) => deleteRelationship(state, 1))
      .then({ type: 'RelationshipDeleted', data: {} });
    given(defined)
      .when((state) => deleteRelationship(state, 2))
      .thenRefused('STALE');
    given(defined, { type: 'RelationshipDeleted', data: {} })
      .when((state) => deleteRelationship(state, undefined))
      .thenRefused('NOT_FOUND');
  });
});
