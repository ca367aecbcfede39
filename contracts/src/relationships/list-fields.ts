/** The fields of the lists of relationships and of their values. */
import { apiOnly, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';
import { REVIEW_FIELDS } from '../review/list-fields.ts';

export const RELATIONSHIP_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  relationshipType: string('Type'),
  cardinality: string('Cardinality'),
  sourceName: string('Source'),
  targetName: string('Target'),
  sourceDataSetId: apiOnly(number('Source id')),
  targetDataSetId: apiOnly(number('Target id')),
  draft: apiOnly(number('Draft')),
  pending: apiOnly(number('Pending')),
  approved: apiOnly(number('Approved')),
  rejected: apiOnly(number('Rejected')),
  served: apiOnly(number('Served')),
  deletionRequested: apiOnly(boolean('Deletion requested')),
  createdAt: datetime('Created'),
  updatedAt: datetime('Updated'),
} satisfies ListFields;

/** Fields that every value has in addition to the attributes of its relationship. */
export const RELATIONSHIP_VALUE_FIELDS = {
  id: apiOnly(number('Id')),
  sourceKey: string('Source'),
  targetKey: string('Target'),
  sourceLabel: string('Source label'),
  targetLabel: string('Target label'),
  sourceInstanceId: apiOnly(number('Source row')),
  targetInstanceId: apiOnly(number('Target row')),
  relationshipId: apiOnly(number('Relationship id')),
  status: apiOnly(string('Status')),
  approvalStatus: apiOnly(string('Approval status', 'Status')),
  broken: apiOnly(boolean('Broken')),
  ...REVIEW_FIELDS,
  comment: apiOnly(string('Comment')),
  batchId: apiOnly(string('Batch')),
  createdAt: apiOnly(datetime('Created')),
  updatedAt: datetime('Updated'),
} satisfies ListFields;

/** Additional fields of the list that shows the values of all relationships. */
export const RELATIONSHIP_OF_VALUE_FIELDS = {
  relationshipName: string('Relationship'),
  sourceName: apiOnly(string('Source data set')),
  targetName: apiOnly(string('Target data set')),
} satisfies ListFields;
