/** Tests the titles of versions. */
import { describe, expect, it } from 'vitest';
import { versionTitle } from './title.ts';

describe('the title of a version', () => {
  it.each([
    ['MappingsSubmitted', 'Submitted'],
    ['RelationshipValuesDeletionRequested', 'Deletion requested'],
    ['CrosswalkDiscarded', 'Discarded'],
    ['CrosswalkDetailsChanged', 'Details changed'],
    ['RelationshipAttributeDefined', 'Attribute defined'],
    ['RelationshipValuesStarted', 'First value added'],
  ])('of %s is “%s”', (type, title) => expect(versionTitle({ type })).toBe(title));

  it.each([
    ['MappingsApproved', 'Deletion approved'],
    ['CrosswalkRejected', 'Deletion rejected'],
    ['RelationshipValuesRecalled', 'Deletion recalled'],
    ['RelationshipDeletionApproved', 'Deletion approved'],
    ['MappingsRevoked', 'Revoked'],
  ])('of the event %s during the review of a deletion is “%s”', (type, title) =>
    expect(versionTitle({ type, ofDeletion: true })).toBe(title),
  );
});
