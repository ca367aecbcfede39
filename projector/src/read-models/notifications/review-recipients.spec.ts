/** Tests which user is in the review state of a row after each action, and which actions notify this user. */
import type { DoneFact, RestorableState } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { applyAction, factOf, type ReviewAction, type ReviewState } from './review-recipients.ts';

const AUTHOR = 4;
const COLLEAGUE = 5;
const REVIEWER = 6;

type Step = readonly [fact: DoneFact, by: number, to?: RestorableState<unknown>];

/** Returns the state after these steps, and the notification of each step as `APPROVED 4`: reason and user. */
function reviewAfter(...steps: readonly Step[]): {
  state: ReviewState | undefined;
  notifications: (string | undefined)[];
} {
  let state: ReviewState | undefined;
  const notifications = steps.map(([fact, by, to], index) => {
    const action: ReviewAction = { fact, actorId: by, commandId: `command ${index}`, ...(to ? { to } : {}) };
    const result = applyAction(state, action);
    state = result.state;
    return (
      result.notification &&
      `${result.notification.reason}${result.notification.isDeletion ? ' of deletion' : ''} ${result.notification.userId}`
    );
  });
  return { state, notifications };
}

const restored = (more: Partial<RestorableState<unknown>>): RestorableState<unknown> => ({
  approvalStatus: 'PENDING',
  value: 'a',
  served: null,
  deletionRequested: false,
  deleted: false,
  submittedBy: AUTHOR,
  authors: [AUTHOR],
  approvedBy: null,
  approvedAt: null,
  ...more,
});

describe('the submitter of a row', () => {
  it.each<[DoneFact, string]>([
    ['approved', 'APPROVED 4'],
    ['rejected', 'REJECTED 4'],
    ['recalled', 'RECALLED 4'],
  ])('is notified when another user has %s the row', (fact, notification) =>
    expect(reviewAfter(['submitted', AUTHOR], [fact, REVIEWER]).notifications).toEqual([undefined, notification]),
  );

  it('is not notified of their own actions', () =>
    expect(
      reviewAfter(['submitted', AUTHOR], ['recalled', AUTHOR], ['edited', AUTHOR], ['deleted', AUTHOR]).notifications,
    ).toEqual([undefined, undefined, undefined, undefined]));

  it('is notified of a revocation after the approval', () =>
    expect(reviewAfter(['submitted', AUTHOR], ['approved', REVIEWER], ['revoked', REVIEWER]).notifications[2]).toBe(
      'REVOKED 4',
    ));

  it('is notified once when another user changes or deletes a rejected row', () => {
    const rejected: Step[] = [
      ['submitted', AUTHOR],
      ['rejected', REVIEWER],
    ];
    expect(reviewAfter(...rejected, ['edited', COLLEAGUE], ['edited', COLLEAGUE]).notifications.slice(2)).toEqual([
      'CHANGED 4',
      undefined,
    ]);
    expect(reviewAfter(...rejected, ['deleted', COLLEAGUE]).notifications[2]).toBe('DELETED 4');
  });

  it('is notified when a decision is undone', () => {
    const { state, notifications } = reviewAfter(
      ['submitted', AUTHOR],
      ['approved', REVIEWER],
      ['undone', REVIEWER, restored({})],
    );
    expect(notifications[2]).toBe('UNDONE 4');
    expect(state).toEqual({ userId: AUTHOR, stage: 'PENDING', served: false, batchId: 'command 0' });
  });

  it('is notified when another user undoes a revocation, and is replaced by this user', () => {
    const { state, notifications } = reviewAfter(
      ['submitted', AUTHOR],
      ['approved', REVIEWER],
      ['revoked', REVIEWER],
      ['undone', REVIEWER, restored({ submittedBy: REVIEWER, authors: [AUTHOR, REVIEWER] })],
    );
    expect(notifications[3]).toBe('UNDONE 4');
    expect(state).toEqual({ userId: REVIEWER, stage: 'PENDING', served: false, batchId: 'command 3' });
  });

  it('is replaced by the user who requests a deletion', () => {
    const requested: Step[] = [
      ['submitted', AUTHOR],
      ['approved', REVIEWER],
      ['deletionRequested', COLLEAGUE],
    ];
    expect(reviewAfter(...requested, ['approved', REVIEWER])).toMatchObject({ state: undefined });
    expect(reviewAfter(...requested, ['approved', REVIEWER]).notifications[3]).toBe('APPROVED of deletion 5');
    expect(reviewAfter(...requested, ['rejected', REVIEWER]).notifications[3]).toBe('REJECTED of deletion 5');
  });
});

describe('the author of a draft', () => {
  const approved: Step[] = [
    ['submitted', AUTHOR],
    ['approved', REVIEWER],
  ];

  it('is notified when another user replaces or discards the draft of a row with an approved value', () => {
    expect(reviewAfter(...approved, ['edited', AUTHOR], ['edited', COLLEAGUE]).notifications[3]).toBe('SUPERSEDED 4');
    expect(reviewAfter(...approved, ['edited', COLLEAGUE], ['discarded', AUTHOR]).notifications[3]).toBe('DISCARDED 5');
  });

  it('is not notified of changes to a row that was never submitted', () =>
    expect(reviewAfter(['drafted', AUTHOR], ['edited', COLLEAGUE], ['deleted', AUTHOR])).toEqual({
      state: undefined,
      notifications: [undefined, undefined, undefined],
    }));

  it('is notified when the approved value is revoked', () =>
    expect(reviewAfter(...approved, ['edited', AUTHOR], ['revoked', REVIEWER])).toMatchObject({
      state: undefined,
      notifications: [undefined, 'APPROVED 4', undefined, 'REVOKED 4'],
    }));
});

describe('factOf', () => {
  it.each([
    ['MappingsSubmitted', 'submitted'],
    ['RelationshipValuesUndone', 'undone'],
    ['CrosswalkUnmappedChanged', 'edited'],
    ['RelationshipDeletionApproved', 'approved'],
    ['MappingsDrafted', undefined],
    ['CrosswalkDetailsChanged', undefined],
  ] as const)('maps %s to %s', (type, fact) => expect(factOf({ type })).toBe(fact));
});
