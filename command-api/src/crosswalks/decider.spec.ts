/** Specifies the commands on the definition of a crosswalk, their undo, and the missing mappings. */
import {
  type Crosswalk,
  type CrosswalkEvent,
  type DoneFact,
  MISSING_MAPPINGS_PER_CROSSWALK,
  type MissingMappingEvent,
  type MissingMappings,
  type Reviewer,
} from '@rdm/contracts';
import { crosswalkDefined, crosswalkDefinition } from '@rdm/contracts/testing/events';
import { describe, expect, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { type Past, specify } from '../testing/given.ts';
import {
  abandonCrosswalk,
  changeCrosswalk,
  defineCrosswalk,
  lockAttributes,
  reviewDefinition,
  submitWithValues,
} from './decider.ts';
import { decideMissing, ignoreMissing, reopenMissing, requestMissing, requireRecorded } from './missing-mappings.ts';
import { undoCrosswalk } from './undo.ts';

const { given } = specify(kinds.crosswalk, 1);
const steward: Reviewer = { userId: 1, level: 'ADMIN' };
const approver: Reviewer = { userId: 2, level: 'APPROVER' };
const UNDONE_COMMAND = '0b2f7c1e-6a53-5d0e-9a3d-2f4d1c7a9e10';

const definition = crosswalkDefinition({ id: 5, name: 'de to DEU' });
const defined = crosswalkDefined(definition);
const submitted: CrosswalkEvent = { type: 'CrosswalkSubmitted', data: {} };
const approved: Past<CrosswalkEvent> = { type: 'CrosswalkApproved', data: {}, by: 2 };
const started: CrosswalkEvent = { type: 'CrosswalkValuesStarted', data: {} };

const review =
  (verb: Parameters<typeof reviewDefinition>[1], by: Reviewer, revision?: number, hasServedValues = false) =>
  (crosswalk: Parameters<typeof reviewDefinition>[0]) =>
    reviewDefinition(crosswalk, verb, by, { revision, comment: undefined, hasServedValues });

describe('defining a crosswalk', () => {
  it('creates a draft', () => {
    given()
      .when((crosswalk) => defineCrosswalk(crosswalk, definition))
      .then(defined);
    expect(given(defined).state()?.approvalStatus).toBe('DRAFT');
  });
  it('is refused after its creation was abandoned', () => {
    given()
      .when((crosswalk) => abandonCrosswalk(crosswalk, { id: 5, sourceSystemId: 1, targetSystemId: 2 }))
      .then({ type: 'CrosswalkAbandoned', data: { id: 5, sourceSystemId: 1, targetSystemId: 2 } });
    given({ type: 'CrosswalkAbandoned', data: { id: 5, sourceSystemId: 1, targetSystemId: 2 } })
      .when((crosswalk) => defineCrosswalk(crosswalk, definition))
      .thenRefused('CONFLICT');
  });
  it('cannot be abandoned once the crosswalk exists', () =>
    expect(
      given(defined)
        .when((crosswalk) => abandonCrosswalk(crosswalk, { id: 5, sourceSystemId: 1, targetSystemId: 2 }))
        .result(),
    ).toEqual({
      abandoned: false,
    }));
});

describe('changing a crosswalk', () => {
  it('renames a served crosswalk without a review', () => {
    given(defined, submitted, approved)
      .when((crosswalk) => changeCrosswalk(crosswalk, { name: 'Countries' }, undefined, 3))
      .then({ type: 'CrosswalkDetailsChanged', data: { name: 'Countries' } });
    const renamed = given(defined, submitted, approved, {
      type: 'CrosswalkDetailsChanged',
      data: { name: 'Countries' },
    });
    expect(renamed.state()).toMatchObject({ approvalStatus: 'APPROVED', served: { name: 'Countries' } });
  });
  it('renames the served definition while other changes are drafts', () => {
    const remapped: CrosswalkEvent = {
      type: 'CrosswalkAttributesChanged',
      data: { sourceFieldId: 2, targetFieldId: 3 },
    };
    const renamed: CrosswalkEvent = { type: 'CrosswalkDetailsChanged', data: { name: 'Countries' } };
    expect(given(defined, submitted, approved, remapped, renamed).state()).toMatchObject({
      approvalStatus: 'DRAFT',
      value: { name: 'Countries', sourceFieldId: 2, targetFieldId: 3 },
      served: { name: 'Countries', sourceFieldId: 1, targetFieldId: 1 },
    });
  });
  it('changes and resets label fields without a review', () => {
    const labelled: CrosswalkEvent = { type: 'CrosswalkDetailsChanged', data: { sourceLabelFieldId: 3 } };
    given(defined, submitted, approved)
      .when((crosswalk) => changeCrosswalk(crosswalk, { targetLabelFieldId: null }, undefined, 3))
      .thenNothing();
    const relabelled = given(defined, submitted, approved, labelled);
    expect(relabelled.state()).toMatchObject({ approvalStatus: 'APPROVED', served: { sourceLabelFieldId: 3 } });
    relabelled.when((crosswalk) => changeCrosswalk(crosswalk, { sourceLabelFieldId: 3 }, undefined, 4)).thenNothing();
    relabelled
      .when((crosswalk) => changeCrosswalk(crosswalk, { sourceLabelFieldId: null }, undefined, 4))
      .then({ type: 'CrosswalkDetailsChanged', data: { sourceLabelFieldId: null } });
  });
  it('requires a review for the result of unmapped values, but not for the cardinality', () => {
    const changes = { cardinality: 'ONE_TO_ONE', unmapped: { yields: 'FIXED', value: 'ZZZ' } } as const;
    const cardinalityChanged: CrosswalkEvent = { type: 'CrosswalkDetailsChanged', data: { cardinality: 'ONE_TO_ONE' } };
    const unmappedChanged: CrosswalkEvent = { type: 'CrosswalkUnmappedChanged', data: { unmapped: changes.unmapped } };
    given(defined, submitted, approved, started)
      .when((crosswalk) => changeCrosswalk(crosswalk, changes, undefined, 3))
      .then(cardinalityChanged, unmappedChanged);
    const changed = given(defined, submitted, approved, started, cardinalityChanged, unmappedChanged);
    expect(changed.state()).toMatchObject({
      approvalStatus: 'DRAFT',
      value: changes,
      served: { cardinality: 'ONE_TO_ONE', unmapped: { yields: 'NOTHING' } },
    });
    changed.when((crosswalk) => changeCrosswalk(crosswalk, changes, undefined, 5)).thenNothing();
    given(defined, submitted)
      .when((crosswalk) => changeCrosswalk(crosswalk, { unmapped: changes.unmapped }, undefined, 2))
      .thenRefused('CONFLICT');
  });
  it('does nothing if nothing changes', () =>
    given(defined)
      .when((crosswalk) => changeCrosswalk(crosswalk, { name: 'de to DEU' }, undefined, 1))
      .thenNothing());
  it('changes attributes only before the first mapping', () => {
    const attributes = { sourceFieldId: 2, targetFieldId: 1 };
    given(defined)
      .when((crosswalk) => changeCrosswalk(crosswalk, {}, attributes, 1))
      .then({ type: 'CrosswalkAttributesChanged', data: attributes });
    given(defined, started)
      .when((crosswalk) => changeCrosswalk(crosswalk, {}, attributes, undefined))
      .thenRefused('CONFLICT');
  });
  it('locks attributes once', () => {
    given(defined).when(lockAttributes).then(started);
    given(defined, started).when(lockAttributes).thenNothing();
  });
  it('is refused with an outdated revision', () =>
    given(defined, submitted)
      .when((crosswalk) => changeCrosswalk(crosswalk, { name: 'x' }, undefined, 1))
      .thenRefused('STALE'));
});

describe('reviewing a crosswalk', () => {
  it('submits a draft crosswalk together with its mappings', () => {
    given(defined)
      .when((crosswalk) => submitWithValues(crosswalk, steward))
      .then(submitted);
    given(defined, submitted)
      .when((crosswalk) => submitWithValues(crosswalk, steward))
      .thenNothing();
    given(defined, submitted, approved)
      .when((crosswalk) => submitWithValues(crosswalk, steward))
      .thenNothing();
  });
  it('does not submit the draft of a served crosswalk together with its mappings', () =>
    // The draft may be unfinished.
    given(defined, submitted, approved, {
      type: 'CrosswalkUnmappedChanged',
      data: { unmapped: { yields: 'SOURCE_VALUE' } },
    })
      .when((crosswalk) => submitWithValues(crosswalk, steward))
      .thenNothing());
  it('lets a user other than the author approve the crosswalk', () => {
    given(defined, submitted)
      .when(review('approve', approver, 2))
      .then({ type: 'CrosswalkApproved', data: {} });
    given(defined, submitted)
      .when(review('approve', { ...approver, userId: 1 }, 2))
      .then()
      .refusing(5, 'FOUR_EYES');
  });
  it('refuses approval by a user who changed details of the crosswalk', () => {
    for (const data of [
      { name: 'Countries' },
      { description: 'ISO 3166' },
      { similarityThreshold: 0.9 },
      { cardinality: 'ONE_TO_ONE' as const },
    ]) {
      const changed: Past<CrosswalkEvent> = { type: 'CrosswalkDetailsChanged', data, by: 2 };
      for (const past of [
        [defined, changed, submitted],
        [defined, submitted, changed],
      ]) {
        given(...past)
          .when(review('approve', approver))
          .then()
          .refusing(5, 'FOUR_EYES');
        given(...past)
          .when(review('approve', { ...approver, userId: 3 }))
          .then({ type: 'CrosswalkApproved', data: {} });
      }
    }
  });
  it('is refused with an outdated revision', () =>
    given(defined, submitted)
      .when(review('approve', approver, 1))
      .then()
      .refusing(5, 'STALE'));
});

describe('discarding changes of an approved crosswalk', () => {
  const unmappedChanged: CrosswalkEvent = {
    type: 'CrosswalkUnmappedChanged',
    data: { unmapped: { yields: 'SOURCE_VALUE' } },
  };
  const remapped: CrosswalkEvent = { type: 'CrosswalkAttributesChanged', data: { sourceFieldId: 2, targetFieldId: 3 } };
  const discarded: CrosswalkEvent = { type: 'CrosswalkDiscarded', data: {} };

  it('restores the served definition and clears the authors', () => {
    given(defined, submitted, approved, started, unmappedChanged)
      .when(review('discard', { userId: 1, level: 'WRITE' }, 4))
      .then(discarded);
    expect(given(defined, submitted, approved, started, unmappedChanged, discarded).state()).toMatchObject({
      approvalStatus: 'APPROVED',
      value: { unmapped: { yields: 'NOTHING' } },
      served: { unmapped: { yields: 'NOTHING' } },
      authors: [],
    });
  });
  it('allows the crosswalk to be deleted', () => {
    given(defined, submitted, approved, unmappedChanged)
      .when(review('delete', steward))
      .then()
      .refusing(5, 'CANDIDATE');
    given(defined, submitted, approved, unmappedChanged, discarded)
      .when(review('delete', steward))
      .then({ type: 'CrosswalkDeletionRequested', data: {} });
  });
  it('does not reset a name that was changed after the discarded change', () =>
    expect(
      given(
        defined,
        submitted,
        approved,
        unmappedChanged,
        {
          type: 'CrosswalkDetailsChanged',
          data: { name: 'Countries' },
        },
        discarded,
      ).state(),
    ).toMatchObject({ value: { name: 'Countries', unmapped: { yields: 'NOTHING' } } }));
  it('is refused if there is no change to discard', () => {
    for (const past of [
      [defined, submitted, approved, unmappedChanged, discarded],
      [defined],
      [defined, submitted, approved],
    ]) {
      given(...past)
        .when(review('discard', steward))
        .then()
        .refusing(5, 'NO_CANDIDATE');
    }
  });
  it('requires the level ADMIN for a change of another user', () => {
    const past = [defined, submitted, approved, unmappedChanged];
    given(...past)
      .when(review('discard', { userId: 7, level: 'APPROVER' }))
      .then()
      .refusing(5, 'NOT_EDITOR');
    given(...past)
      .when(review('discard', { userId: 7, level: 'ADMIN' }))
      .then(discarded);
  });
  it('is refused after values were mapped with the changed attributes', () => {
    given(defined, submitted, approved, remapped).when(review('discard', steward)).then(discarded);
    given(defined, submitted, approved, remapped, started)
      .when(review('discard', steward))
      .then()
      .refusing(5, 'LOCKED');
  });
  it('can be undone only before values are mapped with the restored attributes', () => {
    const before = given(defined, submitted, approved, remapped).state() as Crosswalk;
    const done = {
      id: 5,
      fact: 'discarded' as const,
      before,
      revision: 5,
      by: 1,
      approvedAuthors: [],
    };
    const undo = (crosswalk: Crosswalk | undefined) =>
      undoCrosswalk(crosswalk, done, steward, { undoes: UNDONE_COMMAND, comment: undefined });
    const past = [defined, submitted, approved, remapped, discarded];
    expect(undo(given(...past).state()).events).toMatchObject([
      { type: 'CrosswalkUndone', data: { to: { approvalStatus: 'DRAFT', value: { sourceFieldId: 2 } } } },
    ]);
    given(...past, started)
      .when(undo)
      .then()
      .refusing(5, 'LOCKED');
  });
});

describe('deleting a crosswalk', () => {
  it('requires no review before the first approval', () =>
    given(defined).when(review('delete', steward)).then({ type: 'CrosswalkDeleted', data: {} }));
  it('requires the level ADMIN', () => {
    for (const past of [[defined], [defined, submitted, approved]]) {
      given(...past)
        .when(review('delete', { userId: 1, level: 'APPROVER' }))
        .then()
        .refusing(5, 'LEVEL');
    }
  });
  it('requires a review once the crosswalk or one of its mappings was approved', () => {
    given(defined, submitted, approved)
      .when(review('delete', steward))
      .then({ type: 'CrosswalkDeletionRequested', data: {} });
    given(defined)
      .when(review('delete', steward, undefined, true))
      .then({ type: 'CrosswalkDeletionRequested', data: {} });
  });
  it('is completed by the approval', () => {
    const deletionRequested: CrosswalkEvent = { type: 'CrosswalkDeletionRequested', data: {} };
    expect(given(defined, submitted, approved, deletionRequested, approved).state()?.deleted).toBe(true);
  });
});

describe('restoring a deleted crosswalk', () => {
  const deleted: CrosswalkEvent = { type: 'CrosswalkDeleted', data: {} };
  const restored: CrosswalkEvent = { type: 'CrosswalkRestored', data: {} };
  const deletionRequested: CrosswalkEvent = { type: 'CrosswalkDeletionRequested', data: {} };
  const deletionApproved = [defined, submitted, approved, started, deletionRequested, approved];

  it('makes the crosswalk a draft with its previous attributes', () => {
    given(defined, started, deleted).when(review('restore', steward)).then(restored);
    expect(given(defined, started, deleted, restored).state()).toMatchObject({
      deleted: false,
      approvalStatus: 'DRAFT',
      served: null,
      hasValues: true,
      value: { sourceFieldId: 1 },
    });
  });
  it('requires a new review by another user', () => {
    given(...deletionApproved)
      .when(review('restore', steward))
      .then(restored);
    const again = given(...deletionApproved, restored, submitted);
    expect(again.state()).toMatchObject({ approvalStatus: 'PENDING', served: null });
    again.when(review('approve', steward)).then().refusing(5, 'FOUR_EYES');
    again.when(review('approve', approver)).then({ type: 'CrosswalkApproved', data: {} });
  });
  it('requires the level ADMIN', () =>
    given(defined, deleted)
      .when(review('restore', { userId: 1, level: 'APPROVER' }))
      .then()
      .refusing(5, 'LEVEL'));
  it('requires a deleted crosswalk and its current revision', () => {
    given(defined).when(review('restore', steward)).then().refusing(5, 'NOT_DELETED');
    given(defined, deleted, restored).when(review('restore', steward)).then().refusing(5, 'NOT_DELETED');
    given(defined, deleted)
      .when(review('restore', steward, 1))
      .then()
      .refusing(5, 'STALE');
    given({ type: 'CrosswalkAbandoned', data: { id: 5, sourceSystemId: 1, targetSystemId: 2 } })
      .when(review('restore', steward))
      .then()
      .refusing(5, 'NOT_FOUND');
  });

  const undoOf = (fact: DoneFact, past: Past<CrosswalkEvent>[], by: Reviewer) => (crosswalk: Crosswalk | undefined) =>
    undoCrosswalk(
      crosswalk,
      {
        id: 5,
        fact,
        before: given(...past).state() as Crosswalk,
        revision: crosswalk?.revision ?? 0,
        by: by.userId,
        approvedAuthors: [],
      },
      by,
      { undoes: UNDONE_COMMAND, comment: undefined },
    );

  it('undoes a deletion, and is undone by a deletion', () => {
    given(defined, deleted)
      .when(undoOf('deleted', [defined], steward))
      .then(restored);
    given(defined, deleted, restored)
      .when(undoOf('restored', [defined, deleted], steward))
      .then(deleted);
    given(defined, deleted)
      .when(undoOf('deleted', [defined], { userId: 1, level: 'WRITE' }))
      .then()
      .refusing(5, 'LEVEL');
  });
  it('serves the crosswalk again after the approval of the deletion is undone', () => {
    const before = [defined, submitted, approved, started, deletionRequested];
    const { events } = undoOf('approved', before, approver)(given(...deletionApproved).state());
    expect(events).toMatchObject([
      { type: 'CrosswalkUndone', data: { to: { deleted: false, approvalStatus: 'PENDING', deletionRequested: true } } },
    ]);
    expect(given(...deletionApproved, ...events).state()).toMatchObject({
      deleted: false,
      served: { name: 'de to DEU' },
    });
  });
});

describe('missing mappings', () => {
  const missing = specify(kinds.missingMappings);
  const requested = { type: 'MissingMappingRequested' as const, data: { requests: [{ id: 9, sourceValue: 'UK' }] } };

  it('are requested once per value', () => {
    missing
      .given()
      .when((state) => requestMissing(state, [{ id: 9, sourceValue: 'UK' }]))
      .then(requested);
    missing
      .given(requested)
      .when((state) => requestMissing(state, [{ id: 10, sourceValue: 'UK' }]))
      .thenNothing();
  });
  it('that are not recorded are refused with the limit as the reason', () => {
    const state = { ids: new Map([['UK', 9]]) } as MissingMappings;
    expect(requireRecorded(state, 'UK')).toBe(9);
    expect(() => requireRecorded(state, 'XX')).toThrow('100,000 missing mappings were recorded');
  });
  it('are ignored with a reason', () => {
    missing
      .given(requested)
      .when((state) => ignoreMissing(state, [9], 'not a country'))
      .then({ type: 'MissingMappingIgnored', data: { ids: [9], comment: 'not a country' } });
    missing
      .given(requested)
      .when((state) => ignoreMissing(state, [8], 'x'))
      .thenRefused('NOT_FOUND');
  });
  it('are reopened only if ignored', () => {
    const ignored = { type: 'MissingMappingIgnored' as const, data: { ids: [9], comment: 'not a country' } };
    missing
      .given(requested, ignored)
      .when((state) => reopenMissing(state, [9]))
      .then({ type: 'MissingMappingReopened', data: { ids: [9] } });
    missing
      .given(requested)
      .when((state) => reopenMissing(state, [9]))
      .thenNothing();
    missing
      .given(requested)
      .when((state) => reopenMissing(state, [8]))
      .thenRefused('NOT_FOUND');
  });
  it('are ignored and reopened in bulk, with an outcome for each', () => {
    const two = { requests: [...requested.data.requests, { id: 10, sourceValue: 'EL' }] };
    const twoRequested = { ...requested, data: two };
    const ignored = { type: 'MissingMappingIgnored' as const, data: { ids: [9], comment: 'x' } };
    const past = missing.given(twoRequested, ignored);
    past
      .when((state) => decideMissing(state, 'ignore', [9, 10, 8], 'no country'))
      .then({ type: 'MissingMappingIgnored', data: { ids: [10], comment: 'no country' } })
      .refusing(9, 'IGNORED');
    past
      .when((state) => decideMissing(state, 'ignore', [8], 'no country'))
      .then()
      .refusing(8, 'NOT_FOUND');
    past
      .when((state) => decideMissing(state, 'reopen', [9, 10], ''))
      .then({ type: 'MissingMappingReopened', data: { ids: [9] } })
      .refusing(10, 'LISTED');
  });
  it('are ignored again for their previous reasons if no comment is sent', () => {
    const three = { requests: [9, 10, 11].map((id) => ({ id, sourceValue: `V${id}` })) };
    const ignored = (id: number, comment: string): MissingMappingEvent => ({
      type: 'MissingMappingIgnored',
      data: { ids: [id], comment },
    });
    const past = missing.given({ ...requested, data: three }, ignored(9, 'not a country'), ignored(10, 'a test'), {
      type: 'MissingMappingReopened',
      data: { ids: [9, 10] },
    });
    const again = past.when((state) => decideMissing(state, 'ignore', [9, 10, 11], undefined));
    again.then(ignored(9, 'not a country'), ignored(10, 'a test')).refusing(11, 'NO_REASON');
  });
  it('are limited in number per crosswalk', () => {
    const earlier = Array.from({ length: MISSING_MAPPINGS_PER_CROSSWALK - 1 }, (_, place) => ({
      id: place + 100,
      sourceValue: `V${place}`,
    }));
    missing
      .given({ type: 'MissingMappingRequested', data: { requests: earlier } })
      .when((state) =>
        requestMissing(state, [
          { id: 1, sourceValue: 'UK' },
          { id: 2, sourceValue: 'XX' },
        ]),
      )
      .then({ type: 'MissingMappingRequested', data: { requests: [{ id: 1, sourceValue: 'UK' }] } });
  });
});
