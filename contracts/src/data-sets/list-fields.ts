/** The fields of the lists of data sets, of their rows and of their integrity issues. */
import { apiOnly, array, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const DATA_SET_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  description: string('Description'),
  typeId: apiOnly(number('Type id')),
  typeName: string('Type'),
  collectionIds: apiOnly(array('Collections')),
  instanceCount: number('Rows'),
  pendingCount: number('Pending changes'),
  crosswalkCount: number('Crosswalks'),
  isPublic: boolean('Public'),
  createdBy: apiOnly(number('Created by')),
  createdAt: datetime('Created'),
  updatedAt: datetime('Updated'),
} satisfies ListFields;

/** Fields that every row has in addition to its cells. */
export const INSTANCE_LIST_FIELDS = {
  id: apiOnly(number('Id')),
  orderOfEntry: apiOnly(number('Order of entry')),
  revision: number('Revision', 'Version'),
  key: apiOnly(string('Key')),
  createdAt: datetime('Created'),
  updatedAt: datetime('Updated'),
  updatedBy: apiOnly(number('Updated by')),
  jobId: number('Import job'),
} satisfies ListFields;

export const INTEGRITY_FIELDS = {
  kind: string('Problem'),
  key: string('Row'),
  field: string('Field'),
  value: string('Value'),
  parentName: string('Crosswalk or relationship'),
  sourceValue: string('Source value'),
  status: string('Status'),
} satisfies ListFields;
