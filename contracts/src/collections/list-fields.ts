/** The fields of two lists: the collections, and the activity of a collection. */
import { apiOnly, array, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const COLLECTION_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  description: string('Description'),
  tags: array('Tags'),
  ownerId: apiOnly(number('Owner')),
  dataSetCount: number('Data sets'),
  pendingCount: number('Pending changes'),
  createdAt: datetime('Created'),
  updatedAt: datetime('Updated'),
} satisfies ListFields;

export const COLLECTION_ACTIVITY_FIELDS = {
  timestamp: datetime('Time'),
  userId: apiOnly(number('User id')),
  username: string('User'),
  action: string('Action', 'What happened'),
  dataSets: array('Data sets'),
} satisfies ListFields;
