/** Derives an audit row from an event: the kinds and fields of specification §3, as a pure function. */

import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { parseStream } from '../events/streams.ts';
import { ImportCounts } from '../jobs/jobs.ts';
import type { ProductEvent } from '../registry.ts';
import type { VersionStatus } from '../review/approval.ts';

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

/** The parts of an audit row that depend only on the type of the event. */
interface TypeTraits {
  /** Undefined if the stream determines the kind. */
  kind: AuditKind | undefined;
  severity: AuditEntry['severity'];
  /** `MappingsSubmitted` as “Mappings submitted”. */
  words: string;
  transition: (typeof REVIEW)[string] | undefined;
  /** Whether the comment of the event is a reason. */
  isRejection: boolean;
}

const traitsByType = new Map<string, TypeTraits>();

function traitsOf(type: string): TypeTraits {
  let traits = traitsByType.get(type);
  if (!traits) {
    traits = computeTraits(type);
    traitsByType.set(type, traits);
  }
  return traits;
}

function computeTraits(type: string): TypeTraits {
  const isReviewed = /^(Mappings|Crosswalk|Relationship)/.test(type);
  const ending = isReviewed ? Object.keys(REVIEW).find((each) => type.endsWith(each)) : undefined;
  const words = type
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
    .replace(/^Api /, 'API ')
    .replace(/^Email /, 'E-mail ');
  return {
    kind: ending !== undefined && APPROVALS.test(ending) ? 'approvals' : kindOfEvent(type),
    severity: SEVERE.test(type) ? 'WARN' : 'INFO',
    words,
    transition: ending === undefined ? undefined : REVIEW[ending],
    isRejection: ending !== undefined && REJECTIONS.test(ending),
  };
}

/**
 * Computes the audit row of an event. The row depends only on the event and its stream, so that a verification of the
 * audit log can compute the row again and compare the result with the stored row.
 */
export function auditEntry(stream: string, event: ProductEvent): AuditEntry {
  const { category } = parseStream(stream);
  const data = event.data as Record<string, unknown>;
  const ids = recordIds(data);
  const { kind, severity, words, transition, isRejection } = traitsOf(event.type);
  const comment = typeof data['comment'] === 'string' ? data['comment'] : null;
  return {
    kind: kind ?? KIND_OF_CATEGORY[category] ?? 'system',
    action: event.type,
    ...auditedEntity(stream, event),
    statusBefore: transition?.before ?? null,
    statusAfter: transition?.after ?? statusAfterUndo(data),
    affectedRecordCount: ids?.length ?? 1,
    recordIds: ids,
    changeSummary: summary(words, data, ids?.length),
    submissionComment: isRejection ? null : comment,
    rejectionReason: isRejection ? comment : null,
    severity,
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

/** The words of `MappingsSubmitted` and 3 rows become “Mappings submitted: 3 rows”. */
function summary(words: string, data: Record<string, unknown>, count: number | undefined): string {
  if (count !== undefined) return `${words}: ${count} ${count === 1 ? 'row' : 'rows'}`;
  const name = data['name'];
  return typeof name === 'string' && name !== '' ? `${words}: ${name}` : words;
}
