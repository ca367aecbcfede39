/** The fields of the list of approvals. */
import { apiOnly, array, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const APPROVAL_FIELDS = {
  id: apiOnly(number('Id')),
  kind: string('Kind'),
  title: string('Title', 'Item'),
  status: string('Status'),
  parent: string('Parent'),
  parentId: apiOnly(number('Parent id')),
  parentName: string('Parent name', 'Belongs to'),
  batchId: string('Batch', 'Submitted together'),
  sourceDataSetId: apiOnly(number('Source id')),
  targetDataSetId: apiOnly(number('Target id')),
  collectionIds: apiOnly(array('Collections')),
  deletionRequested: boolean('Deletion requested'),
  isReturned: boolean('To correct'),
  submittedBy: apiOnly(number('Submitted by')),
  submittedAt: datetime('Submitted'),
  comment: string('Comment'),
  decidedBy: apiOnly(number('Decided by')),
  decidedAt: datetime('Decided'),
  decisionComment: string('Reason'),
  decisionId: string('Decision', 'Decided together'),
  undoneBy: apiOnly(number('Undone by')),
  undoneAt: apiOnly(datetime('Undone')),
} satisfies ListFields;
