/**
 * Read model of the audit log: one row per event, with a hash that links it to the previous row. Of a purged event,
 * only the type, actor, instant and digest are known.
 */
import { type AuditEntry, auditEntry, type ProductEvent, purgedEntry } from '@rdm/contracts';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Projection } from '../engine/projection.ts';
import { insertRows, type TableOf } from '../tables/rows.ts';

interface AuditRow {
  seq: number;
  event_id: string | null;
  stream: string | null;
  stream_revision: number | null;
  type: string;
  kind: AuditEntry['kind'];
  action: string;
  entity_type: string;
  entity_id: number | null;
  status_before: string | null;
  status_after: string | null;
  affected_record_count: number;
  record_ids: number[] | null;
  change_summary: string;
  submission_comment: string | null;
  rejection_reason: string | null;
  severity: AuditEntry['severity'];
  target_user_id: number | null;
  role_change: AuditEntry['roleChange'];
  group_change: AuditEntry['groupChange'];
  permission_change: AuditEntry['permissionChange'];
  validation_results: AuditEntry['validationResults'];
  job_id: number | null;
  actor_id: number | null;
  api_key_id: number | null;
  at: string;
  request_id: string | null;
  correlation_id: string | null;
  causation_id: string | null;
  source_type: string | null;
  data_set_ids: number[];
  digest: string;
  chain_hash: string;
  /** The purge that deleted the event; null for an event that is not purged. */
  purge_id: number | null;
}

export const auditLogs: TableOf<AuditRow> = {
  name: 'audit_logs',
  columns: {
    seq: 'bigint',
    event_id: 'uuid',
    stream: 'text',
    stream_revision: 'bigint',
    type: 'text',
    kind: 'text',
    action: 'text',
    entity_type: 'text',
    entity_id: 'bigint',
    status_before: 'text',
    status_after: 'text',
    affected_record_count: 'integer',
    record_ids: 'bigint[]',
    change_summary: 'text',
    submission_comment: 'text',
    rejection_reason: 'text',
    severity: 'text',
    target_user_id: 'bigint',
    role_change: 'jsonb',
    group_change: 'jsonb',
    permission_change: 'jsonb',
    validation_results: 'jsonb',
    job_id: 'bigint',
    actor_id: 'bigint',
    api_key_id: 'bigint',
    at: 'timestamptz',
    request_id: 'text',
    correlation_id: 'text',
    causation_id: 'text',
    source_type: 'text',
    data_set_ids: 'bigint[]',
    digest: 'text',
    chain_hash: 'text',
    purge_id: 'bigint',
  },
  key: ['seq'],
  uncompressed: ['record_ids'],
  indexes: [
    '(kind, seq)',
    '(correlation_id)',
    '(causation_id)',
    '(entity_type, entity_id, seq)',
    '(job_id) WHERE job_id IS NOT NULL',
    '(purge_id, seq) WHERE purge_id IS NOT NULL',
  ],
};

/** Returns the audit row of an event; `previous` is the chain hash of the row before it. */
export function auditRow(event: NumberedEvent, previous: string): AuditRow {
  const { metadata, purged } = event;
  if (purged) {
    return {
      ...{ seq: event.seq, type: event.type, actor_id: metadata.actorId, at: metadata.occurredAt },
      ...{ event_id: null, stream: null, stream_revision: null, api_key_id: null, data_set_ids: [] },
      ...{ request_id: null, correlation_id: null, causation_id: null, source_type: null },
      ...{ digest: purged.digest, chain_hash: linkTo(previous, purged.digest), purge_id: purged.purgeId },
      ...columnsOf(purgedEntry(event.type)),
    };
  }
  // An event that cannot be decoded is described by its type and stream alone.
  const described = event.undecodable === undefined ? event : { ...event, data: {} };
  const entry = auditEntry(event.stream, described as ProductEvent);
  const digest = digestOf(event);
  // The spread is last, because V8 adds properties to a copied object slowly (docs/decisions/0115).
  return {
    seq: event.seq,
    event_id: event.id,
    stream: event.stream,
    stream_revision: event.revision,
    type: event.type,
    actor_id: metadata.actorId,
    api_key_id: metadata.apiKeyId ?? null,
    at: metadata.occurredAt,
    request_id: metadata.requestId,
    correlation_id: metadata.$correlationId,
    causation_id: metadata.$causationId,
    source_type: metadata.sourceType,
    data_set_ids: metadata.dataSetIds,
    digest,
    chain_hash: linkTo(previous, digest),
    purge_id: null,
    ...columnsOf(entry),
  };
}

function columnsOf(entry: AuditEntry) {
  return {
    kind: entry.kind,
    action: entry.action,
    entity_type: entry.entityType,
    entity_id: entry.entityId,
    status_before: entry.statusBefore,
    status_after: entry.statusAfter,
    affected_record_count: entry.affectedRecordCount,
    record_ids: entry.recordIds,
    change_summary: entry.changeSummary,
    submission_comment: entry.submissionComment,
    rejection_reason: entry.rejectionReason,
    severity: entry.severity,
    target_user_id: entry.targetUserId,
    role_change: entry.roleChange,
    group_change: entry.groupChange,
    permission_change: entry.permissionChange,
    validation_results: entry.validationResults,
    job_id: entry.jobId,
  };
}

export const auditLog: Projection = {
  name: 'audit_log',
  version: 8,
  categories: 'all',
  foldsPurged: true,
  tables: [auditLogs],
  async apply(context, events) {
    const last = await context.client.query<{ chain_hash: string }>({
      name: `last ${context.schema}`,
      text: `SELECT chain_hash FROM ${context.schema}.audit_logs ORDER BY seq DESC LIMIT 1`,
    });
    let previous = last.rows[0]?.chain_hash ?? GENESIS;
    const rows = events.map((event) => {
      const row = auditRow(event, previous);
      previous = row.chain_hash;
      return row;
    });
    await insertRows(context, auditLogs.name, auditLogs.columns, rows);
    return new Map();
  },
};
