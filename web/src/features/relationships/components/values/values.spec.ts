/** Tests texts, verbs and columns of relationship values, the form of attributes, and verbs of relationships. */
import { REVIEW_REFUSALS } from '@rdm/contracts/review/approval';
import { describe, expect, it } from 'vitest';
import { rowRefusal } from '../../../../components/review/verbs.ts';
import { relationship, value } from '../../fixtures.ts';
import { attributeForm, NEW_ATTRIBUTE } from '../attributes.ts';
import { definitionRefusal, definitionVerbs } from '../relationship-kind.ts';
import { approvedVersionText, pairText, reviewable } from '../review-words.ts';
import { valueColumns } from './value-columns.tsx';

const STEWARD = 2;
const served = { sourceInstanceId: 1, targetInstanceId: 2, sourceKey: 'VIE', targetKey: 'AT', attributes: {} };

describe('a value', () => {
  it('is displayed as the pair of its keys, with an id in place of a missing key', () => {
    expect(pairText(value())).toBe('VIE → AT');
    expect(pairText(value({ targetKey: null, targetInstanceId: 77 }))).toBe('VIE → #77');
  });

  it('shows the approved version only if it differs from the current version', () => {
    expect(approvedVersionText(value())).toBeUndefined();
    expect(approvedVersionText(value({ served }))).toBeUndefined();
    expect(approvedVersionText(value({ served, targetInstanceId: 3, targetKey: 'DE' }))).toBe('VIE → AT');
    expect(
      approvedVersionText(
        value({ served: { ...served, attributes: { share: 1, since: null } }, attributes: { share: 2 } }),
      ),
    ).toBe('share 1, since —');
  });

  it('cannot be approved by an author, or edited, while it is pending', () => {
    const pending = reviewable(value({ approvalStatus: 'PENDING', submittedBy: STEWARD, authors: [STEWARD] }));
    expect(rowRefusal('approve', pending, { userId: STEWARD, level: 'ADMIN' })).toBe(REVIEW_REFUSALS.FOUR_EYES);
    expect(rowRefusal('approve', pending, { userId: 3, level: 'APPROVER' })).toBeUndefined();
    expect(rowRefusal('edit', pending, { userId: STEWARD, level: 'WRITE' })).toBe(REVIEW_REFUSALS.PENDING);
  });

  it('can be revoked only while it is served', () => {
    const by = { userId: 3, level: 'APPROVER' as const };
    expect(rowRefusal('revoke', reviewable(value()), by)).toBe(REVIEW_REFUSALS.NOT_SERVED);
    expect(rowRefusal('revoke', reviewable(value({ approvalStatus: 'APPROVED', served })), by)).toBeUndefined();
  });
});

describe('the columns', () => {
  const attributes = [
    {
      id: 1,
      relationshipTypeId: 1,
      name: 'share',
      dataType: 'number' as const,
      isRequired: false,
      description: '',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    },
  ];
  const displayedHeaders = (columns: ReturnType<typeof valueColumns>) =>
    columns.filter(({ hidden }) => hidden !== true).map(({ header }) => header);

  it('include one column per attribute in the list of one relationship', () => {
    expect(displayedHeaders(valueColumns('pending', attributes))).toEqual([
      'Source',
      'Target',
      'share',
      'Status',
      'Submitted by',
      'Submitted',
    ]);
  });

  it('include the relationship in the list of all values', () => {
    expect(displayedHeaders(valueColumns('draft', undefined)).slice(0, 4)).toEqual([
      'Source',
      'Target',
      'Relationship',
      'Attributes',
    ]);
  });
});

describe('an attribute', () => {
  it('requires a unique name, ignoring case', () => {
    const problems = (name: string) =>
      attributeForm(['Share'])
        .safeParse({ ...NEW_ATTRIBUTE, name })
        .error?.issues.map(({ message }) => message);
    expect(problems(' ')).toContain('Attribute name is required');
    expect(problems('share')).toEqual(['Another attribute has this name']);
    expect(problems('since')).toBeUndefined();
  });
});

describe('the relationship itself', () => {
  it('can be deleted only with the level ADMIN', () => {
    expect(definitionRefusal('delete', relationship({ level: 'WRITE' }), STEWARD)).toBe(REVIEW_REFUSALS.LEVEL);
    expect(definitionRefusal('delete', relationship(), STEWARD)).toBeUndefined();
  });

  it('needs another user to approve its requested deletion', () => {
    const pendingDeletion = relationship({
      deletionRequested: true,
      approvalStatus: 'PENDING',
      submittedBy: STEWARD,
      authors: [STEWARD],
    });
    expect(definitionVerbs(pendingDeletion)).toEqual(['approve', 'reject', 'recall']);
    expect(definitionRefusal('approve', pendingDeletion, STEWARD)).toBe(REVIEW_REFUSALS.FOUR_EYES);
    expect(definitionRefusal('approve', pendingDeletion, 3)).toBeUndefined();
    expect(definitionRefusal('recall', pendingDeletion, STEWARD)).toBeUndefined();
  });
});
