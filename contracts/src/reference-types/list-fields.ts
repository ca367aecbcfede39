/** The fields of the list of reference types. */
import { array, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const REFERENCE_TYPE_FIELDS = {
  id: number('ID'),
  name: string('Name'),
  description: string('Description'),
  // Labels of the API are in sentence case. The specification gives the second label, which the page shows.
  schemaCount: number('Schema count', 'Schema Count'),
  schemas: array('Schemas'),
  dataSetCount: number('Data sets'),
  createdAt: datetime('Created'),
  updatedAt: datetime('Updated'),
} satisfies ListFields;
