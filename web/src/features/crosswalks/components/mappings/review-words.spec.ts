/** Tests which verbs are disabled on mappings and on the crosswalk itself, and the text of the submission dialog. */
import { type ApprovalStatus, REVIEW_REFUSALS, type Reviewer, type ReviewVerb } from '@rdm/contracts/review/approval';
import { describe, expect, it } from 'vitest';
import { rowRefusal as refusalOf, bulkRefusal as refusalOfAll } from '../../../../components/review/verbs.ts';
import { crosswalk, mapping } from '../../fixtures.ts';
import { definitionRefusal, definitionVerbs } from '../definition/crosswalk-kind.ts';
import { mappingWords, reviewable } from './review-words.ts';

type Row = ReturnType<typeof mapping>;
const rowRefusal = (verb: ReviewVerb, row: Row, by: Reviewer) => refusalOf(verb, reviewable(row), by);
const bulkRefusal = (verb: ReviewVerb, rows: readonly Row[], by: Reviewer) =>
  refusalOfAll(rows, (row) => rowRefusal(verb, row, by));

const STEWARD = 2;
const approver = { userId: 3, level: 'APPROVER' as const };
const pending = mapping({ status: 'PENDING', submittedBy: STEWARD, authors: [STEWARD] });

describe('a mapping under review', () => {
  it('can be decided by an approver who is not one of its authors', () => {
    expect(rowRefusal('approve', pending, approver)).toBeUndefined();
  });

  it('cannot be decided by its authors, regardless of their level', () => {
    expect(rowRefusal('approve', pending, { userId: STEWARD, level: 'ADMIN' })).toBe(REVIEW_REFUSALS.FOUR_EYES);
  });

  it('cannot be decided by users whose level is too low', () => {
    expect(rowRefusal('reject', pending, { userId: 4, level: 'WRITE' })).toBe(REVIEW_REFUSALS.LEVEL);
  });

  it('cannot be edited before it is recalled', () => {
    expect(rowRefusal('edit', pending, { userId: STEWARD, level: 'WRITE' })).toBe(REVIEW_REFUSALS.PENDING);
    expect(rowRefusal('recall', pending, { userId: STEWARD, level: 'WRITE' })).toBeUndefined();
  });
});

describe('an approved mapping', () => {
  const approved = mapping({ status: 'APPROVED', served: { targetValue: 'AUT', confidence: 100 } });

  it('can be revoked, and its deletion can be requested', () => {
    expect(rowRefusal('revoke', approved, approver)).toBeUndefined();
    expect(rowRefusal('delete', approved, approver)).toBeUndefined();
  });

  it('cannot be deleted while it has a draft', () => {
    const candidate = mapping({ ...approved, status: 'DRAFT' });
    expect(rowRefusal('delete', candidate, approver)).toBe(REVIEW_REFUSALS.CANDIDATE);
  });
});

describe('many mappings', () => {
  const ownMapping = mapping({ ...pending, id: 2, authors: [approver.userId] });

  it('can be decided if at least one of them can be decided', () => {
    expect(bulkRefusal('approve', [ownMapping, pending], approver)).toBeUndefined();
  });

  it('are refused with the reason if none of them can be decided', () => {
    expect(bulkRefusal('approve', [ownMapping], approver)).toBe(REVIEW_REFUSALS.FOUR_EYES);
  });
});

describe('the crosswalk itself', () => {
  it('cannot be approved by its authors', () => {
    const submitted = crosswalk({ approvalStatus: 'PENDING', submittedBy: STEWARD, authors: [STEWARD] });
    expect(definitionRefusal('approve', submitted, STEWARD)).toBe(REVIEW_REFUSALS.FOUR_EYES);
    expect(definitionRefusal('approve', submitted, 3)).toBeUndefined();
  });

  it('offers discard instead of delete while it has a version that is newer than the approved version', () => {
    const verbsOf = (approvalStatus: ApprovalStatus, isServed: boolean) =>
      definitionVerbs(crosswalk({ approvalStatus, isServed }));
    expect(verbsOf('DRAFT', true)).toEqual(['submit', 'discard', 'revoke']);
    expect(verbsOf('REJECTED', true)).toEqual(['discard', 'revoke']);
    expect(verbsOf('DRAFT', false)).toEqual(['submit', 'delete']);
    expect(verbsOf('APPROVED', true)).toEqual(['revoke', 'delete']);
  });

  it('can be deleted only with the level ADMIN', () => {
    expect(definitionRefusal('delete', crosswalk({ level: 'WRITE' }), STEWARD)).toBe(REVIEW_REFUSALS.LEVEL);
    expect(definitionRefusal('delete', crosswalk({ level: 'ADMIN' }), STEWARD)).toBeUndefined();
  });
});

const consequence = (isServed: boolean, approvalStatus: 'DRAFT' | 'PENDING' | 'APPROVED') =>
  mappingWords({ isServed, approvalStatus }).submit.consequence;

it('the dialog for the first submission of mappings states that the crosswalk is submitted too', () => {
  expect(consequence(false, 'DRAFT')).toMatch(/^The crosswalk itself is submitted too\. An approver decides\./);
  for (const text of [consequence(false, 'PENDING'), consequence(true, 'APPROVED'), consequence(true, 'DRAFT')])
    expect(text).toMatch(/^An approver decides\./);
});
