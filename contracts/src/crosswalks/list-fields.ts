/**
 * The fields of the lists of crosswalks, mappings, missing mappings, unmapped values and dismissed suggestions, and of
 * comparisons.
 */
import { apiOnly, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';
import { REVIEW_FIELDS } from '../review/list-fields.ts';

export const CROSSWALK_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  description: apiOnly(string('Description')),
  sourceName: string('Source'),
  targetName: string('Target'),
  sourceSystemId: apiOnly(number('Source id')),
  targetSystemId: apiOnly(number('Target id')),
  cardinality: apiOnly(string('Cardinality')),
  approvalStatus: string('Status'),
  mappedPercent: number('Mapped %'),
  missingCount: number('Missing', 'Missing mappings'),
  pending: number('Pending', 'Pending values'),
  served: apiOnly(number('Served')),
  lastApprovedAt: datetime('Last approved'),
  createdAt: apiOnly(datetime('Created')),
  updatedAt: apiOnly(datetime('Updated')),
} satisfies ListFields;

export const MAPPING_FIELDS = {
  id: apiOnly(number('Id')),
  sourceValue: string('Source value'),
  targetValue: string('Target value'),
  servedValue: string('Served value'),
  confidence: number('Confidence'),
  status: apiOnly(string('Status')),
  origin: string('Origin'),
  ...REVIEW_FIELDS,
  batchId: apiOnly(string('Batch')),
  createdAt: apiOnly(datetime('Created')),
  updatedBy: apiOnly(number('Updated by')),
  updatedAt: datetime('Updated', 'Changed'),
} satisfies ListFields;

export const MISSING_MAPPING_FIELDS = {
  id: apiOnly(number('Id')),
  crosswalkId: apiOnly(number('Crosswalk id')),
  crosswalkName: string('Crosswalk'),
  sourceValue: string('Source value'),
  requestCount: number('Requests'),
  requestedAt: apiOnly(datetime('First requested')),
  lastRequestedAt: datetime('Last requested'),
  requester: string('Requester'),
  requestUsername: apiOnly(string('Requesting user')),
  requestApiKeyName: apiOnly(string('Requesting API key')),
  requestContext: string('Context'),
  ignoreReason: apiOnly(string('Reason')),
} satisfies ListFields;

export const UNMAPPED_VALUE_FIELDS = {
  sourceValue: string('Source value'),
  sourceLabel: string('Label'),
} satisfies ListFields;

export const DISMISSED_SUGGESTION_FIELDS = {
  id: apiOnly(number('Id')),
  sourceValue: string('Source value'),
  targetValue: string('Target value'),
  updatedBy: apiOnly(number('Dismissed by')),
  updatedAt: datetime('Dismissed'),
} satisfies ListFields;

/** Fields that every comparison has in addition to the target value and one field per source data set. */
export const COMPARISON_FIELDS = {
  targetLabel: string('Label'),
  systemCount: number('Systems with a value'),
  isConflict: boolean('Conflict'),
} satisfies ListFields;
