/** Specifies the statuses in audit rows, before and after each review event. */
import { describe, expect, it } from 'vitest';
import { CROSSWALK_FACTS } from '../crosswalks/crosswalks.ts';
import { MAPPING_FACTS } from '../crosswalks/mappings.ts';
import type { ProductEvent } from '../registry.ts';
import { RELATIONSHIP_VALUE_FACTS } from '../relationships/relationship-values.ts';
import { DELETION_FACTS } from '../relationships/relationships.ts';
import { type ApprovalStatus, newDraft, type PlainFact, review } from '../review/approval.ts';
import { auditEntry } from './audit.ts';

const entryOf = (stream: string, type: string) =>
  auditEntry(stream, { type, data: { ids: [64], comment: 'because' }, metadata: {} } as unknown as ProductEvent);
const statuses = (stream: string, type: string) => {
  const { statusBefore, statusAfter } = entryOf(stream, type);
  return [statusBefore, statusAfter];
};

describe('an audit row of a review', () => {
  it('reports DELETED before a restoration, and a draft after it', () => {
    expect(statuses('mappings-3.0', 'MappingsRestored')).toEqual(['DELETED', 'DRAFT']);
    expect(statuses('relationshipValues-3.0', 'RelationshipValuesRestored')).toEqual(['DELETED', 'DRAFT']);
  });
  it('reports DELETED after an approved deletion, and APPROVED after a rejected deletion', () => {
    expect(statuses('relationship-3', 'RelationshipDeletionApproved')).toEqual(['PENDING', 'DELETED']);
    expect(entryOf('relationship-3', 'RelationshipDeletionRejected')).toMatchObject({
      kind: 'approvals',
      statusAfter: 'APPROVED',
      rejectionReason: 'because',
    });
  });

  // Rows that each fact can change. Rows with a pending deletion are omitted, and in `revoked` rows with a newer draft.
  const act = { by: 1, at: '' };
  const row = newDraft('x', act);
  const rowIn = (approvalStatus: ApprovalStatus, served: string | null) => ({ ...row, approvalStatus, served });
  const ROWS_BEFORE: Record<PlainFact, ReturnType<typeof rowIn>[]> = {
    submitted: [rowIn('DRAFT', null), rowIn('DRAFT', 'y')],
    recalled: [rowIn('PENDING', null)],
    approved: [rowIn('PENDING', null), rowIn('PENDING', 'y')],
    rejected: [rowIn('PENDING', null), rowIn('PENDING', 'y')],
    revoked: [rowIn('APPROVED', 'x')],
    discarded: [rowIn('DRAFT', 'y'), rowIn('REJECTED', 'y')],
    deletionRequested: [rowIn('APPROVED', 'x')],
    deleted: [rowIn('DRAFT', null), rowIn('REJECTED', null)],
    restored: [{ ...rowIn('REJECTED', null), deleted: true }],
  };
  const statusOf = ({ deleted, approvalStatus }: { deleted: boolean; approvalStatus: ApprovalStatus }) =>
    deleted ? 'DELETED' : approvalStatus;
  const facts = Object.entries({
    ...MAPPING_FACTS,
    ...RELATIONSHIP_VALUE_FACTS,
    ...CROSSWALK_FACTS,
  }) as [string, PlainFact][];

  it.each(facts)(
    'of %s has the status after the event, and the status before the event if only one is possible',
    (type, fact) => {
      const { statusBefore, statusAfter } = entryOf('mappings-3.0', type);
      for (const before of ROWS_BEFORE[fact]) expect(statusAfter).toBe(statusOf(review(before, { fact }, act)));
      const statusesBefore = new Set(ROWS_BEFORE[fact].map(statusOf));
      if (statusBefore !== null) expect(statusesBefore).toContain(statusBefore);
      else expect(statusesBefore.size).toBeGreaterThan(1);
    },
  );
  it('has a status after each event of the deletion and restoration of a relationship', () => {
    for (const type of Object.keys(DELETION_FACTS)) expect(entryOf('relationship-3', type).statusAfter).not.toBeNull();
  });
});
