/** Derives an audit row from an event: the kinds and fields of specification §3, as a pure function. */

import { z } from 'zod';
import { ActingKey } from '../access/acting-key.ts';
import { defineView } from '../define-view.ts';
import { parseStream } from '../events/streams.ts';
import { ImportCounts } from '../jobs/jobs.ts';
import type { ProductEvent } from '../registry.ts';
import type { VersionStatus } from '../review/approval.ts';
import { Dates } from '../text/fields.ts';

export const AUDIT_KINDS = [
  'user',
  'reference-data',
  'relationship',
  'crosswalk',
  'collection',
  'reference-type',
  'api-key',
  'system',
  'approvals',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** The audit row of one event. Names are added when the row is read. */
export const AuditEntry = defineView(() =>
  z.object({
    kind: z.enum(AUDIT_KINDS),
    action: z.string(),
    entityType: z.string(),
    entityId: z.number().nullable(),
    statusBefore: z.string().nullable(),
    statusAfter: z.string().nullable(),
    affectedRecordCount: z.number(),
    recordIds: z.array(z.number()).nullable(),
    changeSummary: z.string(),
    submissionComment: z.string().nullable(),
    rejectionReason: z.string().nullable(),
    severity: z.enum(['INFO', 'WARN']),
    targetUserId: z.number().nullable(),
    roleChange: z.object({ roleId: z.number() }).nullable().describe('The new role of a user.'),
    groupChange: z
      .object({ groupId: z.number(), added: z.array(z.number()), removed: z.array(z.number()) })
      .nullable()
      .describe('The users who were added to a group and removed from it.'),
    permissionChange: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Levels on a collection that were granted and revoked, or the new routes and abilities of a role.'),
    validationResults: z
      .object({ counts: ImportCounts, rules: z.record(z.string(), z.number()) })
      .nullable()
      .describe('For a validation, its counts and how many rows break each rule; null for events of earlier versions.'),
    jobId: z.number().nullable().describe('The job that the event belongs to, if the event names one.'),
  }),
);
export type AuditEntry = z.infer<typeof AuditEntry>;

const KIND_OF_CATEGORY: Record<string, AuditKind> = {
  access: 'collection',
  apiKey: 'api-key',
  bulkDecision: 'reference-data',
  crosswalk: 'crosswalk',
  dataSet: 'reference-data',
  filterConfiguration: 'system',
  importJob: 'reference-data',
  instances: 'reference-data',
  mappings: 'crosswalk',
  missingMappings: 'crosswalk',
  names: 'system',
  purge: 'system',
  referenceType: 'reference-type',
  relationship: 'relationship',
  relationshipValues: 'relationship',
  savedFilter: 'system',
  system: 'system',
  user: 'user',
};

/**
 * The usual status before and after each review event; null if no status is usual. Rows with a served value can have
 * other statuses. A removed row is DELETED, as in histories.
 */
const REVIEW: Record<string, { before: VersionStatus | null; after: VersionStatus | null }> = {
  // Event types are recognised by their ending, so longer endings come first.
  DeletionApproved: { before: 'PENDING', after: 'DELETED' },
  DeletionRejected: { before: 'PENDING', after: 'APPROVED' },
  DeletionRecalled: { before: 'PENDING', after: 'APPROVED' },
  Drafted: { before: null, after: 'DRAFT' },
  Edited: { before: null, after: 'DRAFT' },
  Submitted: { before: 'DRAFT', after: 'PENDING' },
  Recalled: { before: 'PENDING', after: 'DRAFT' },
  Approved: { before: 'PENDING', after: 'APPROVED' },
  Rejected: { before: 'PENDING', after: 'REJECTED' },
  Revoked: { before: 'APPROVED', after: 'REJECTED' },
  DeletionRequested: { before: 'APPROVED', after: 'PENDING' },
  Discarded: { before: 'DRAFT', after: 'APPROVED' },
  Deleted: { before: null, after: 'DELETED' },
  // A relationship is never a draft, so it is approved as soon as it is restored.
  RelationshipRestored: { before: 'DELETED', after: 'APPROVED' },
  Restored: { before: 'DELETED', after: 'DRAFT' },
  Undone: { before: null, after: null },
};

/** Matches submissions, decisions and undos, which have the kind `approvals`, but not requests for a deletion. */
const APPROVALS = /(Approved|Rejected|Revoked|Submitted|Undone)$/;
/** Matches decisions whose comment is a reason. */
const REJECTIONS = /(Rejected|Revoked)$/;

const SEVERE = /^Purge|^LegalHoldReleased$|Deleted$|Removed$|Revoked$|Deactivated$|Failed$|Locked$|Erased$/;

/**
 * Computes the audit row of an event. The row depends only on the event and its stream, so that a verification of the
 * audit log can compute the row again and compare the result with the stored row.
 */
export function auditEntry(stream: string, event: ProductEvent): AuditEntry {
  const { category } = parseStream(stream);
  const data = event.data as Record<string, unknown>;
  const ids = recordIds(data);
  const ending = Object.keys(REVIEW).find(
    (each) => /^(Mappings|Crosswalk|Relationship)/.test(event.type) && event.type.endsWith(each),
  );
  const transition = ending ? REVIEW[ending] : undefined;
  const isApproval = ending !== undefined && APPROVALS.test(ending);
  const comment = typeof data['comment'] === 'string' ? data['comment'] : null;
  const isRejection = ending !== undefined && REJECTIONS.test(ending);
  return {
    kind: isApproval ? 'approvals' : (kindOfEvent(event.type) ?? KIND_OF_CATEGORY[category] ?? 'system'),
    action: event.type,
    ...auditedEntity(stream, event),
    statusBefore: transition?.before ?? null,
    statusAfter: transition?.after ?? statusAfterUndo(data),
    affectedRecordCount: ids?.length ?? 1,
    recordIds: ids,
    changeSummary: summary(event.type, data, ids?.length),
    submissionComment: isRejection ? null : comment,
    rejectionReason: isRejection ? comment : null,
    severity: SEVERE.test(event.type) ? 'WARN' : 'INFO',
    targetUserId: typeof data['userId'] === 'number' ? data['userId'] : null,
    ...accessChange(event),
    validationResults: validationResults(event),
    jobId: auditedJob(stream, data),
  };
}

/** The entity type of an event that was purged. */
export const PURGED_ENTITY = 'purged';

/** The audit row of a purged event. It contains only the type of the event. */
export const purgedEntry = (type: string): AuditEntry => ({
  kind: 'system',
  action: type,
  entityType: PURGED_ENTITY,
  entityId: null,
  statusBefore: null,
  statusAfter: null,
  affectedRecordCount: 0,
  recordIds: null,
  changeSummary: 'Purged',
  submissionComment: null,
  rejectionReason: null,
  severity: 'INFO',
  targetUserId: null,
  roleChange: null,
  groupChange: null,
  permissionChange: null,
  validationResults: null,
  jobId: null,
});

/** The entity of an event; for events of rows, the definition or data set that has the rows. */
export function auditedEntity(stream: string, event: ProductEvent): Pick<AuditEntry, 'entityType' | 'entityId'> {
  const { category, id } = parseStream(stream);
  return {
    entityType: entityTypeOfEvent(event.type) ?? category,
    entityId: entityIdIn(event.data as Record<string, unknown>) ?? (Number.isNaN(id) ? null : id),
  };
}

/** The job that the data of an event names, as in the undo of an import; otherwise the job of the stream, or null. */
export function auditedJob(stream: string, data: object): number | null {
  const { jobId } = data as { jobId?: unknown };
  if (typeof jobId === 'number') return jobId;
  const { category, id } = parseStream(stream);
  return category === 'importJob' || category === 'bulkDecision' ? id : null;
}

function validationResults(event: ProductEvent): AuditEntry['validationResults'] {
  if (event.type !== 'ImportPhaseCompleted') return null;
  const { counts, rules } = event.data;
  return rules === undefined ? null : { counts, rules };
}

function accessChange(event: ProductEvent): Pick<AuditEntry, 'roleChange' | 'groupChange' | 'permissionChange'> {
  const none = { roleChange: null, groupChange: null, permissionChange: null };
  switch (event.type) {
    case 'UserRegistered':
    case 'UserRoleAssigned':
      return { ...none, roleChange: { roleId: event.data.roleId } };
    case 'GroupMembersChanged':
      return { ...none, groupChange: event.data };
    case 'CollectionPermissionsChanged':
      return { ...none, permissionChange: event.data };
    case 'RoleDefined':
    case 'RoleChanged': {
      const { roleId, routes, abilities } = event.data;
      if (routes === undefined && abilities === undefined) return none;
      return {
        ...none,
        permissionChange: { roleId, ...(routes && { routes }), ...(abilities && { abilities }) },
      };
    }
    default:
      return none;
  }
}

/** The status of the rows after an undo; null for other events, or if the rows have different statuses or none. */
function statusAfterUndo(data: Record<string, unknown>): string | null {
  if (data['undoes'] === undefined) return null;
  const restoredStates = Array.isArray(data['rows']) ? data['rows'] : [data];
  // Rows of data sets, which the undo of an import restores, have no status.
  const statuses = new Set(
    restoredStates.map((each) => (each as { to?: { approvalStatus: string } }).to?.approvalStatus),
  );
  const [only] = statuses;
  return statuses.size === 1 ? (only ?? null) : null;
}

/** The ids of the rows that an event names; null if the event names no rows. */
export function recordIds(data: Record<string, unknown>): number[] | null {
  if (Array.isArray(data['ids'])) return data['ids'] as number[];
  if (Array.isArray(data['requests'])) return data['requests'].map((each) => (each as { id: number }).id);
  if (!Array.isArray(data['rows'])) return null;
  return data['rows'].map((row) => (Array.isArray(row) ? row[0] : (row as { id: number }).id) as number);
}

/** The kind of an event about users, roles or groups, whatever its stream is; undefined for other events. */
const kindOfEvent = (type: string): AuditKind | undefined =>
  /^(User|Role|Group|Password)/.test(type) ? 'user' : undefined;

/** The entity type that the type of an event names, for streams with several entities; undefined for other events. */
const entityTypeOfEvent = (type: string): string | undefined =>
  type.startsWith('Backup')
    ? 'backup'
    : type.startsWith('Purge')
      ? 'purge'
      : type.startsWith('LegalHold')
        ? 'legalHold'
        : type.startsWith('Collection')
          ? 'collection'
          : type.startsWith('Role')
            ? 'role'
            : type.startsWith('Group')
              ? 'group'
              : type.startsWith('User') || type.startsWith('Password')
                ? 'user'
                : undefined;

/** The id of the entity in the data of an event, for streams with several entities; undefined if there is none. */
const entityIdIn = (data: Record<string, unknown>): number | undefined =>
  (data['backupId'] ??
    data['purgeId'] ??
    data['holdId'] ??
    data['apiKeyId'] ??
    data['collectionId'] ??
    data['groupId'] ??
    data['userId'] ??
    data['roleId']) as number | undefined;

/** `MappingsSubmitted` of 3 rows becomes “Mappings submitted: 3 rows”. */
function summary(type: string, data: Record<string, unknown>, count: number | undefined): string {
  const words = type
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
    .replace(/^Api /, 'API ')
    .replace(/^Email /, 'E-mail ');
  if (count !== undefined) return `${words}: ${count} ${count === 1 ? 'row' : 'rows'}`;
  const name = data['name'];
  return typeof name === 'string' && name !== '' ? `${words}: ${name}` : words;
}

const NamedRecord = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string().exactOptional().describe('Left out if the record no longer exists.'),
  }),
);

/** Maximum number of record names that one audit row lists. */
export const AUDIT_RECORD_NAMES_MAX = 100;

/** One row of GET /api/audit-logs. */
export const AuditLogView = defineView(() =>
  z.object({
    ...AuditEntry.omit({ roleChange: true }).shape,
    ...Dates.shape,
    id: z.number().describe('The same as `seq`.'),
    businessContext: z
      .object({
        dataSets: z.array(NamedRecord).exactOptional(),
        crosswalk: NamedRecord.exactOptional(),
        relationship: NamedRecord.exactOptional(),
        collection: NamedRecord.exactOptional(),
      })
      .nullable()
      .describe(
        'The data sets, crosswalk, relationship or collection of the event, with their current names; null if there are none.',
      ),
    operationMetadata: z
      .object({
        commandId: z.string().nullable(),
        jobId: z.number().nullable(),
        fileId: z.string().nullable(),
        fileName: z.string().nullable(),
        undoes: z.number().nullable().describe('The import that the job undoes.'),
      })
      .describe('The command of the event, with its job and file if there are any.'),
    approvalType: z
      .enum(['CROSSWALK', 'MAPPING', 'RELATIONSHIP', 'RELATIONSHIP_VALUE'])
      .nullable()
      .describe('The kind of the reviewed item; null for entries that are not approvals.'),
    batchId: z
      .string()
      .nullable()
      .describe(
        'The id of the submission that was made or decided; null if the rows belong to several submissions or to none.',
      ),
    recordNames: z
      .array(z.string())
      .nullable()
      .describe(
        `The texts that identified the first ${AUDIT_RECORD_NAMES_MAX} records at the time of the event: their pairs of values or keys, or the name of the definition.`,
      ),
    filterCriteria: z.unknown().describe('The filter that selected the rows; null if the request listed the rows.'),
    approvalMethod: z
      .enum(['SINGLE', 'BULK', 'JOB'])
      .nullable()
      .describe(
        'JOB: a job changed the rows. BULK: a request changed several rows. SINGLE: a request changed one row.',
      ),
    processingTime: z
      .number()
      .nullable()
      .describe('Milliseconds from the submission to its decision; null for other events.'),
    roleChange: z
      .object({ roleId: z.number(), name: z.string().nullable() })
      .nullable()
      .describe('The new role of a user, with its current name; `name` is null if the role was deleted.'),
    seq: z.number(),
    purgeId: z
      .number()
      .nullable()
      .describe(
        'The id of the purge that deleted the event. Only the number, type, user, time and hashes of a purged event are known, and `changeSummary` names the purge.',
      ),
    eventId: z.string().nullable(),
    stream: z.string().nullable(),
    streamRevision: z.number().nullable(),
    timestamp: z.string(),
    userId: z.number().nullable(),
    username: z.string().nullable(),
    ...ActingKey.shape,
    entityName: z.string().nullable(),
    requestId: z.string().nullable(),
    correlationId: z.string().nullable(),
    causationId: z.string().nullable().describe('The id of the command that caused the event.'),
    sourceType: z.string().nullable(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    digest: z.string(),
    chainHash: z.string(),
  }),
);
export type AuditLogView = z.infer<typeof AuditLogView>;

/** GET /api/audit-logs/replay?stream=: one step per event with the state after it. */
export const ReplayStep = defineView(() =>
  z.object({
    seq: z.number(),
    revision: z.number(),
    type: z.string(),
    occurredAt: z.string(),
    actorId: z.number().nullable(),
    ...ActingKey.shape,
    sourceType: z.string(),
    correlationId: z.string(),
    data: z.unknown(),
    state: z.unknown(),
    names: z
      .record(z.string(), z.string())
      .describe(
        'The names of the entities that the data and the state contain by id, such as `dataSet:5` and `field:2`. Names that an earlier step of the response has are left out, except for fields that have a new name since this step.',
      ),
  }),
);
export type ReplayStep = z.infer<typeof ReplayStep>;
