/** Specifies who stands behind a row under review, and who hears of what is done to it. */
import type { DoneFact, Standing } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { applyAction, type ReviewAction, factOf, type ReviewState } from './review-recipients.ts';

const AUTHOR = 4;
const COLLEAGUE = 5;
const REVIEWER = 6;

type Step = readonly [fact: DoneFact, by: number, to?: Standing<unknown>];

/** The row after these steps, and what each told: `APPROVED 4`. */
function after(...steps: readonly Step[]): { held: ReviewState | undefined; told: (string | undefined)[] } {
  let held: ReviewState | undefined;
  const told = steps.map(([fact, by, to], index) => {
    const doing: ReviewAction = { fact, actorId: by, commandId: `command ${index}`, ...(to ? { to } : {}) };
    const next = applyAction(held, doing);
    held = next.state;
    return next.notification && `${next.notification.reason}${next.notification.isDeletion ? ' of deletion' : ''} ${next.notification.userId}`;
  });
  return { held, told };
}

const standing = (more: Partial<Standing<unknown>>): Standing<unknown> => ({
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

describe('whoever submitted a row', () => {
  it.each<[DoneFact, string]>([
    ['approved', 'APPROVED 4'],
    ['rejected', 'REJECTED 4'],
    ['recalled', 'RECALLED 4'],
  ])('hears that it was %s by somebody else', (fact, heard) =>
    expect(after(['submitted', AUTHOR], [fact, REVIEWER]).told).toEqual([undefined, heard]),
  );

  it('hears nothing of what they do themselves', () =>
    expect(after(['submitted', AUTHOR], ['recalled', AUTHOR], ['edited', AUTHOR], ['deleted', AUTHOR]).told).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]));

  it('hears of a revocation long after the approval', () =>
    expect(after(['submitted', AUTHOR], ['approved', REVIEWER], ['revoked', REVIEWER]).told[2]).toBe('REVOKED 4'));

  it('hears that what was rejected is changed or deleted by somebody else, once', () => {
    const rejected: Step[] = [
      ['submitted', AUTHOR],
      ['rejected', REVIEWER],
    ];
    expect(after(...rejected, ['edited', COLLEAGUE], ['edited', COLLEAGUE]).told.slice(2)).toEqual([
      'CHANGED 4',
      undefined,
    ]);
    expect(after(...rejected, ['deleted', COLLEAGUE]).told[2]).toBe('DELETED 4');
  });

  it('hears that a decision was taken back, and the row waits in the batch that it was submitted with', () => {
    const { held, told } = after(['submitted', AUTHOR], ['approved', REVIEWER], ['undone', REVIEWER, standing({})]);
    expect(told[2]).toBe('UNDONE 4');
    expect(held).toEqual({ userId: AUTHOR, stage: 'PENDING', served: false, batchId: 'command 0' });
  });

  it('hears that what was revoked is asked for again, by whoever brought it back and as a batch of its own', () => {
    const { held, told } = after(
      ['submitted', AUTHOR],
      ['approved', REVIEWER],
      ['revoked', REVIEWER],
      ['undone', REVIEWER, standing({ submittedBy: REVIEWER, authors: [AUTHOR, REVIEWER] })],
    );
    expect(told[3]).toBe('UNDONE 4');
    expect(held).toEqual({ userId: REVIEWER, stage: 'PENDING', served: false, batchId: 'command 3' });
  });

  it('hears what becomes of a deletion that they asked for', () => {
    const asked: Step[] = [
      ['submitted', AUTHOR],
      ['approved', REVIEWER],
      ['deletionRequested', COLLEAGUE],
    ];
    expect(after(...asked, ['approved', REVIEWER])).toMatchObject({ held: undefined });
    expect(after(...asked, ['approved', REVIEWER]).told[3]).toBe('APPROVED of deletion 5');
    expect(after(...asked, ['rejected', REVIEWER]).told[3]).toBe('REJECTED of deletion 5');
  });
});

describe('whoever writes a draft', () => {
  const approved: Step[] = [
    ['submitted', AUTHOR],
    ['approved', REVIEWER],
  ];

  it('beside an approved value hears that it was superseded or discarded', () => {
    expect(after(...approved, ['edited', AUTHOR], ['edited', COLLEAGUE]).told[3]).toBe('SUPERSEDED 4');
    expect(after(...approved, ['edited', COLLEAGUE], ['discarded', AUTHOR]).told[3]).toBe('DISCARDED 5');
  });

  it('of what was never submitted hears nothing: those who write a list together change each other’s rows', () =>
    expect(after(['drafted', AUTHOR], ['edited', COLLEAGUE], ['deleted', AUTHOR])).toEqual({
      held: undefined,
      told: [undefined, undefined, undefined],
    }));

  it('that stood beside a value which was revoked has a plain draft from then on', () =>
    expect(after(...approved, ['edited', AUTHOR], ['revoked', REVIEWER])).toMatchObject({
      held: undefined,
      told: [undefined, 'APPROVED 4', undefined, 'REVOKED 4'],
    }));
});

describe('the fact behind an event', () => {
  it.each([
    ['MappingsSubmitted', 'submitted'],
    ['RelationshipValuesUndone', 'undone'],
    ['CrosswalkUnmappedChanged', 'edited'],
    ['RelationshipDeletionApproved', 'approved'],
    ['MappingsDrafted', undefined],
    ['CrosswalkDetailsChanged', undefined],
  ] as const)('of %s is %s', (type, fact) => expect(factOf({ type })).toBe(fact));
});
