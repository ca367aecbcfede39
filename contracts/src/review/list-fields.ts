/** The fields of the review in the lists of mappings and relationship values. */
import { apiOnly, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const REVIEW_FIELDS = {
  deletionRequested: boolean('Deletion requested'),
  createdBy: apiOnly(number('Created by')),
  submittedBy: apiOnly(number('Submitted by')),
  submittedAt: datetime('Submitted'),
  approvedBy: apiOnly(number('Approved by')),
  approvedAt: datetime('Approved'),
  rejectedBy: apiOnly(number('Rejected by')),
  rejectedAt: datetime('Rejected'),
  rejectionReason: string('Reason'),
} satisfies ListFields;
