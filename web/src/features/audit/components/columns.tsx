/** Columns and filters of the audit log. */

import type { AuditLogView } from '@rdm/contracts/audit/audit';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { APPROVAL_STATUSES, type ApprovalStatus } from '@rdm/contracts/review/approval';
import { format } from 'date-fns';
import { TriangleAlert } from 'lucide-react';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { actionWords, wordOf } from './subjects.ts';

const isStatus = (word: string): word is ApprovalStatus => (APPROVAL_STATUSES as readonly string[]).includes(word);

export function Status({ status }: { status: string }) {
  return isStatus(status) ? <StatusBadge status={status} /> : <Badge>{status}</Badge>;
}

export function Transition({ before, after }: { before: string | null; after: string | null }) {
  if (before === null && after === null) return <span className="text-muted">—</span>;
  return (
    <span className="inline-flex items-center gap-1">
      {before !== null && <Status status={before} />}
      <span aria-hidden="true">→</span>
      <span className="sr-only">to</span>
      {after !== null && <Status status={after} />}
    </span>
  );
}

export function Severity({ severity }: { severity: AuditLogView['severity'] }) {
  if (severity === 'INFO') return <span className="text-muted">Info</span>;
  return (
    <span className="inline-flex items-center gap-1 text-pending-text">
      <TriangleAlert aria-hidden="true" className="size-3.5" />
      Warning
    </span>
  );
}

export function Instant({ at }: { at: string }) {
  return (
    <time dateTime={at} title={format(new Date(at), 'yyyy-MM-dd HH:mm:ss.SSS xxx')} className="tabular-nums">
      {format(new Date(at), 'yyyy-MM-dd HH:mm:ss')}
    </time>
  );
}

/** The actor; actions of a key are shown as those of its creator by that key. */
export const actorText = ({ username, apiKeyId, apiKeyName }: AuditLogView): string =>
  apiKeyId === null ? (username ?? 'System') : `${username ?? 'System'} by key ${apiKeyName ?? apiKeyId}`;

function Actor({ entry }: { entry: AuditLogView }) {
  const { username, apiKeyId, apiKeyName } = entry;
  if (username === null && apiKeyId === null) return <span className="text-muted">System</span>;
  return (
    <span title={actorText(entry)}>
      {username ?? 'System'}
      {apiKeyId !== null && <span className="text-muted"> by key {apiKeyName ?? apiKeyId}</span>}
    </span>
  );
}

export const entityText = ({ entityType, entityId, entityName }: AuditLogView): string =>
  `${wordOf(entityType)} ${entityName ?? entityId ?? ''}`.trim();

/** The columns; a correlation id links to all entries of its request. */
export const auditColumns = (onBatch: (correlationId: string) => void): GridColumn<AuditLogView>[] => [
  {
    id: 'seq',
    header: 'No.',
    cell: (entry) => <span className="font-mono">{entry.seq}</span>,
    value: (entry) => entry.seq,
    sortable: true,
    numeric: true,
    hidden: true,
    width: 76,
  },
  {
    id: 'timestamp',
    header: 'Time',
    cell: (entry) => <Instant at={entry.timestamp} />,
    value: (entry) => entry.timestamp,
    sortable: true,
    required: true,
    width: 152,
  },
  {
    id: 'username',
    header: 'User',
    cell: (entry) => <Actor entry={entry} />,
    value: actorText,
    sortable: true,
    wrap: true,
    width: 96,
  },
  {
    id: 'action',
    header: 'Action',
    cell: (entry) => <span title={entry.changeSummary}>{actionWords(entry.action)}</span>,
    value: (entry) => entry.action,
    sortable: true,
    wrap: true,
    width: 136,
  },
  {
    id: 'entityName',
    header: 'Entity',
    cell: (entry) => (
      <span title={entityText(entry)}>
        <span className="text-muted">{wordOf(entry.entityType)}</span> {entry.entityName ?? entry.entityId}
      </span>
    ),
    value: entityText,
    sortable: true,
    minWidth: 160,
  },
  {
    id: 'statusAfter',
    header: 'Before → after',
    cell: (entry) => <Transition before={entry.statusBefore} after={entry.statusAfter} />,
    value: (entry) => `${entry.statusBefore ?? ''} → ${entry.statusAfter ?? ''}`,
    sortable: true,
    width: 196,
  },
  {
    id: 'affectedRecordCount',
    header: 'Records',
    cell: (entry) => formatNumber(entry.affectedRecordCount),
    value: (entry) => entry.affectedRecordCount,
    sortable: true,
    numeric: true,
    width: 84,
  },
  {
    id: 'severity',
    header: 'Severity',
    cell: (entry) => <Severity severity={entry.severity} />,
    value: (entry) => entry.severity,
    sortable: true,
    width: 92,
  },
  {
    id: 'sourceType',
    header: 'Source',
    cell: (entry) => entry.sourceType,
    value: (entry) => entry.sourceType,
    sortable: true,
    width: 80,
  },
  {
    id: 'correlationId',
    header: 'Correlation',
    cell: (entry) => (
      <button
        type="button"
        tabIndex={-1}
        className="max-w-full truncate font-mono text-accent text-xs underline-offset-2 hover:underline"
        title={`Show the whole batch ${entry.correlationId}`}
        onClick={(event) => {
          event.stopPropagation();
          onBatch(entry.correlationId);
        }}
      >
        {entry.correlationId.slice(0, 8)}
      </button>
    ),
    value: (entry) => entry.correlationId,
    width: 96,
  },
  {
    id: 'changeSummary',
    header: 'Change',
    cell: (entry) => entry.changeSummary,
    value: (entry) => entry.changeSummary,
    hidden: true,
    minWidth: 220,
  },
  {
    id: 'ipAddress',
    header: 'IP address',
    cell: (entry) => <span className="font-mono">{entry.ipAddress}</span>,
    value: (entry) => entry.ipAddress,
    hidden: true,
    width: 130,
  },
];

export const AUDIT_FILTERS: readonly FilterField[] = [
  { name: 'timestamp', label: 'Time', dataType: 'datetime' },
  { name: 'username', label: 'User', dataType: 'string' },
  { name: 'apiKeyName', label: 'API key', dataType: 'string' },
  { name: 'apiKeyId', label: 'API key id', dataType: 'number' },
  { name: 'action', label: 'Action', dataType: 'string' },
  { name: 'entityType', label: 'Entity type', dataType: 'string' },
  { name: 'entityId', label: 'Entity id', dataType: 'number' },
  { name: 'entityName', label: 'Entity name', dataType: 'string' },
  { name: 'statusBefore', label: 'Before', dataType: 'string' },
  { name: 'statusAfter', label: 'After', dataType: 'string' },
  { name: 'affectedRecordCount', label: 'Records', dataType: 'number' },
  { name: 'recordIds', label: 'Record ids', dataType: 'array' },
  { name: 'changeSummary', label: 'Change', dataType: 'string' },
  { name: 'submissionComment', label: 'Comment', dataType: 'string' },
  { name: 'rejectionReason', label: 'Reason', dataType: 'string' },
  { name: 'severity', label: 'Severity', dataType: 'string' },
  { name: 'sourceType', label: 'Source', dataType: 'string' },
  { name: 'correlationId', label: 'Correlation', dataType: 'string' },
  { name: 'requestId', label: 'Request', dataType: 'string' },
  { name: 'stream', label: 'Stream', dataType: 'string' },
  { name: 'ipAddress', label: 'IP address', dataType: 'string' },
];
