/** Columns and filters of the audit log. */

import { actorText } from '@rdm/contracts/access/acting-key';
import type { AuditLogView } from '@rdm/contracts/audit/audit-log-view';
import { AUDIT_FIELDS } from '@rdm/contracts/audit/list-fields';
import { isSignUp } from '@rdm/contracts/audit/sentence-words';
import { APPROVAL_STATUSES, type VersionStatus } from '@rdm/contracts/review/approval';
import { format } from 'date-fns';
import { TriangleAlert } from 'lucide-react';
import { columnsOf, type GridColumn } from '../../../components/data-grid/index.ts';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { actionWords, wordOf } from './subjects.ts';

/** The rooms whose changes reload the lists. */
export const LIVE_ROOMS = ['types', 'collections', 'reviews'];

const isStatus = (word: string): word is VersionStatus =>
  word === 'DELETED' || (APPROVAL_STATUSES as readonly string[]).includes(word);

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

type NameOf = (userId: number | null) => string;

/** The actor of an entry; for a sign-up, the new user. */
export const actorIdOf = (entry: AuditLogView): number | null => (isSignUp(entry) ? entry.entityId : entry.userId);

export const actorOf = (entry: AuditLogView, nameOf: NameOf): string => actorText(nameOf(actorIdOf(entry)), entry);

/** Whether an entry belongs to a job that undoes an import. Such a job has the events of a bulk decision. */
const isUndo = ({ entityType, operationMetadata }: AuditLogView): boolean =>
  entityType === 'bulkDecision' && operationMetadata.undoes !== null;

/** The action in words: “Undo completed” for the event `BulkDecisionCompleted` of an undo. */
export const actionText = (entry: AuditLogView): string =>
  actionWords(isUndo(entry) ? entry.action.replace('BulkDecision', 'Undo') : entry.action);

/** The word for the type of the entity. Empty for a named bulk decision, because the name contains the action. */
const typeText = ({ entityType, entityName }: AuditLogView): string =>
  entityType === 'bulkDecision' && entityName !== null ? '' : wordOf(entityType);

/** The part of the summary after the action, such as “64 rows”. For a purged event, the whole summary. */
export const summaryDetail = ({ changeSummary, purgeId }: AuditLogView): string =>
  purgeId === null ? (/: (.*)$/s.exec(changeSummary)?.[1] ?? '') : changeSummary;

export const entityText = (entry: AuditLogView): string =>
  entry.purgeId === null
    ? `${typeText(entry)} ${entry.entityName ?? entry.entityId ?? ''}`.trim()
    : entry.changeSummary;

const { custom, text, count, code } = columnsOf<AuditLogView>(AUDIT_FIELDS);

export const auditColumns = (
  onShowRelated: (correlationId: string) => void,
  nameOf: NameOf,
): GridColumn<AuditLogView>[] => [
  code('seq', { numeric: true, hidden: true, width: 76 }),
  text('timestamp', {
    cell: (entry) => <Instant at={entry.timestamp} />,
    required: true,
    width: 152,
  }),
  text('username', {
    cell: (entry) => (
      <span title={entry.username ?? undefined} className={actorIdOf(entry) === null ? 'text-muted' : undefined}>
        {actorOf(entry, nameOf)}
      </span>
    ),
    value: (entry) => actorOf(entry, nameOf),
    wrap: true,
    width: 96,
  }),
  text('action', {
    cell: (entry) => <span title={entry.changeSummary}>{actionText(entry)}</span>,
    wrap: true,
    width: 136,
  }),
  custom('entityName', {
    header: 'Entity',
    cell: (entry) =>
      entry.purgeId === null ? (
        <span title={entityText(entry)}>
          <span className="text-muted">{typeText(entry)}</span> {entry.entityName ?? entry.entityId}
        </span>
      ) : (
        <span className="text-muted">{entityText(entry)}</span>
      ),
    value: entityText,
    minWidth: 160,
  }),
  custom('statusAfter', {
    header: 'Before → after',
    cell: (entry) => <Transition before={entry.statusBefore} after={entry.statusAfter} />,
    value: (entry) => `${entry.statusBefore ?? ''} → ${entry.statusAfter ?? ''}`,
    width: 196,
  }),
  count('affectedRecordCount', { width: 84 }),
  text('severity', { cell: (entry) => <Severity severity={entry.severity} />, width: 92 }),
  text('sourceType', { width: 80 }),
  text('correlationId', {
    cell: ({ correlationId }) =>
      correlationId !== null && (
        <button
          type="button"
          tabIndex={-1}
          className="max-w-full truncate font-mono text-accent text-xs underline-offset-2 hover:underline"
          title={`Show all entries with the correlation id ${correlationId}`}
          onClick={(event) => {
            event.stopPropagation();
            onShowRelated(correlationId);
          }}
        >
          {correlationId.slice(0, 8)}
        </button>
      ),
    sortable: false,
    width: 96,
  }),
  text('changeSummary', { sortable: false, hidden: true, minWidth: 220 }),
  code('ipAddress', { sortable: false, hidden: true, width: 130 }),
];

export const AUDIT_FILTERS = filterFields(AUDIT_FIELDS, [
  'timestamp',
  'username',
  'apiKeyName',
  'apiKeyId',
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
  'sourceType',
  'correlationId',
  'causationId',
  'jobId',
  'requestId',
]);
