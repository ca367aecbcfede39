/** The columns and formats of an export of the audit log. */
import type { AuditLogView } from '@rdm/contracts';
import { csv } from '../http/download.ts';
import { NDJSON } from './ndjson.ts';

export const EXPORT_COLUMNS = [
  'seq',
  'timestamp',
  'userId',
  'username',
  'apiKeyId',
  'apiKeyName',
  'kind',
  'action',
  'entityType',
  'entityId',
  'entityName',
  'statusBefore',
  'statusAfter',
  'affectedRecordCount',
  'recordIds',
  'changeSummary',
  'submissionComment',
  'rejectionReason',
  'severity',
  'targetUserId',
  'roleChange',
  'groupChange',
  'permissionChange',
  'validationResults',
  'requestId',
  'correlationId',
  'causationId',
  'jobId',
  'sourceType',
  'ipAddress',
  'userAgent',
  'stream',
  'streamRevision',
  'eventId',
  'digest',
  'chainHash',
  'purgeId',
] as const satisfies readonly (keyof AuditLogView)[];

export const FORMATS = {
  csv: csv<AuditLogView>(EXPORT_COLUMNS, (row) => EXPORT_COLUMNS.map((column) => row[column])),
  ndjson: NDJSON,
};
