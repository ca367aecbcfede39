/** Columns of the values: the two rows, attributes, status and last change. */
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { AttributeView } from '@rdm/contracts/relationships/relationships';
import type { CellValue } from '@rdm/contracts/text/rows';
import { Unlink } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { Person } from '../../../components/people/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import type { ValueRow, ValueTab } from '../api/values.ts';
import { approvedInstead, keyText } from './review-words.ts';

const NONE = <span className="text-muted">—</span>;

interface EndCellProps {
  instanceKey: string | null;
  instanceId: number;
  label: string | null;
  missing: boolean;
}

export function EndCell({ instanceKey, instanceId, label, missing }: EndCellProps) {
  return (
    <>
      <span className={missing ? 'font-mono line-through' : 'font-mono'}>{keyText(instanceKey, instanceId)}</span>
      {/* The line may wrap after the key. */}
      {label !== null && <span className="ml-1 text-muted"> {label}</span>}
      {missing && (
        <Badge className="ml-2">
          <Unlink aria-hidden="true" className="size-3" />
          Deleted row
        </Badge>
      )}
    </>
  );
}

function TargetCell({ row }: { row: ValueRow }) {
  const serves = approvedInstead(row);
  return (
    <>
      <EndCell
        instanceKey={row.targetKey}
        instanceId={row.targetInstanceId}
        label={row.targetLabel}
        missing={row.targetMissing}
      />
      {row.deletionRequested && <Badge className="ml-2">Deletion requested</Badge>}
      {serves !== undefined && (
        <Badge tone="outline" className="ml-2">
          serves <span className="font-mono">{serves}</span> meanwhile
        </Badge>
      )}
    </>
  );
}

const ends: readonly GridColumn<ValueRow>[] = [
  {
    id: 'sourceKey',
    header: 'Source',
    cell: (row) => (
      <span data-row-key={row.id}>
        <EndCell
          instanceKey={row.sourceKey}
          instanceId={row.sourceInstanceId}
          label={row.sourceLabel}
          missing={row.sourceMissing}
        />
      </span>
    ),
    value: (row) => row.sourceKey,
    sortable: true,
    required: true,
    minWidth: 130,
    wrap: true,
  },
  {
    id: 'targetKey',
    header: 'Target',
    cell: (row) => <TargetCell row={row} />,
    value: (row) => row.targetKey,
    sortable: true,
    required: true,
    minWidth: 130,
    wrap: true,
  },
];

const relationship: GridColumn<ValueRow> = {
  id: 'relationshipName',
  header: 'Relationship',
  cell: (row) => (
    <Link
      to={`/relationships/${row.relationshipId}/values`}
      className="text-accent underline-offset-2 hover:underline"
      title={`${row.sourceName} → ${row.targetName}`}
    >
      {row.relationshipName}
    </Link>
  ),
  value: (row) => row.relationshipName,
  sortable: true,
  minWidth: 130,
};

const cellText = (value: CellValue | undefined): string => (value === null || value === undefined ? '' : String(value));

/**
 * In the list of one relationship each attribute has its own column, with the server's sort name; in that of several
 * all attributes share one column.
 */
function attributeColumn({ name, dataType }: AttributeView): GridColumn<ValueRow> {
  // An attribute with the name of a common column is displayed beside it, and cannot be sorted by.
  const isTaken = [...ends, ...REVIEW_COLUMNS].some(({ id }) => id === name);
  return {
    id: isTaken ? `attribute ${name}` : name,
    header: name,
    cell: (row) => cellText(row.attributes[name]) || NONE,
    value: (row) => row.attributes[name] ?? null,
    sortable: !isTaken,
    numeric: dataType === 'number',
    ...(dataType === 'string' ? { minWidth: 96, wrap: true } : { width: 112 }),
  };
}

const attributesText = ({ attributes }: ValueRow): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${cellText(value)}`)
    .join(', ');

const attributesTogether: GridColumn<ValueRow> = {
  id: 'attributes',
  header: 'Attributes',
  cell: (row) => attributesText(row) || NONE,
  value: attributesText,
  minWidth: 120,
  wrap: true,
};

const status: GridColumn<ValueRow> = {
  id: 'approvalStatus',
  header: 'Status',
  cell: (row) => <StatusBadge status={row.approvalStatus} />,
  value: (row) => row.approvalStatus,
  sortable: true,
  width: 104,
};

const person = (id: string, header: string, of: (row: ValueRow) => number | null): GridColumn<ValueRow> => ({
  id,
  header,
  cell: (row) => (of(row) === null ? NONE : <Person id={of(row)} />),
  width: 132,
});

const moment = (id: string, header: string, of: (row: ValueRow) => string | null): GridColumn<ValueRow> => ({
  id,
  header,
  cell: (row) => {
    const at = of(row);
    return at === null ? NONE : <RelativeTime at={at} />;
  },
  value: of,
  sortable: true,
  width: 136,
});

const reason: GridColumn<ValueRow> = {
  id: 'rejectionReason',
  header: 'Reason',
  cell: (row) => row.rejectionReason ?? NONE,
  value: (row) => row.rejectionReason,
  minWidth: 170,
  wrap: true,
};

/** The default columns of each tab. */
const SHOWN: Record<ValueTab, readonly string[]> = {
  draft: ['approvalStatus', 'updatedBy', 'updatedAt'],
  pending: ['approvalStatus', 'submittedBy', 'submittedAt'],
  approved: ['approvalStatus', 'submittedBy', 'approvedBy', 'approvedAt'],
  rejected: ['approvalStatus', 'rejectionReason', 'rejectedBy', 'rejectedAt'],
  broken: ['approvalStatus', 'submittedBy', 'approvedBy', 'updatedAt'],
  deleted: ['approvalStatus', 'updatedBy', 'updatedAt'],
};

/** The last change of a deleted value is its deletion. */
const DELETED_HEADERS: Readonly<Record<string, string>> = {
  approvalStatus: 'Last status',
  updatedBy: 'Deleted by',
  updatedAt: 'Deleted',
};

const REVIEW_COLUMNS: readonly GridColumn<ValueRow>[] = [
  status,
  reason,
  person('submittedBy', 'Submitted by', (row) => row.submittedBy),
  moment('submittedAt', 'Submitted', (row) => row.submittedAt),
  person('approvedBy', 'Approved by', (row) => row.approvedBy),
  moment('approvedAt', 'Approved', (row) => row.approvedAt),
  person('rejectedBy', 'Rejected by', (row) => row.rejectedBy),
  moment('rejectedAt', 'Rejected', (row) => row.rejectedAt),
  person('createdBy', 'Added by', (row) => row.createdBy),
  person('updatedBy', 'Updated by', (row) => row.updatedBy),
  moment('updatedAt', 'Updated', (row) => row.updatedAt),
];

/** `attributes` are those of the one relationship; undefined in the list of all. */
export function valueColumns(
  tab: ValueTab,
  attributes: readonly AttributeView[] | undefined,
): readonly GridColumn<ValueRow>[] {
  return [
    ...ends,
    ...(attributes === undefined ? [relationship, attributesTogether] : attributes.map(attributeColumn)),
    ...REVIEW_COLUMNS.map((each) => {
      const column =
        tab === 'deleted' && each.id in DELETED_HEADERS ? { ...each, header: DELETED_HEADERS[each.id] ?? '' } : each;
      return SHOWN[tab].includes(column.id) ? column : { ...column, hidden: true };
    }),
  ];
}

const FILTERS: readonly FilterField[] = [
  { name: 'sourceKey', label: 'Source', dataType: 'string' },
  { name: 'targetKey', label: 'Target', dataType: 'string' },
  { name: 'sourceLabel', label: 'Source label', dataType: 'string' },
  { name: 'targetLabel', label: 'Target label', dataType: 'string' },
  { name: 'deletionRequested', label: 'Deletion requested', dataType: 'boolean' },
  { name: 'submittedAt', label: 'Submitted', dataType: 'datetime' },
  { name: 'approvedAt', label: 'Approved', dataType: 'datetime' },
  { name: 'rejectedAt', label: 'Rejected', dataType: 'datetime' },
  { name: 'rejectionReason', label: 'Reason', dataType: 'string' },
  { name: 'updatedAt', label: 'Updated', dataType: 'datetime' },
];

export function valueFilters(attributes: readonly AttributeView[] | undefined): readonly FilterField[] {
  if (attributes === undefined) {
    return [{ name: 'relationshipName', label: 'Relationship', dataType: 'string' }, ...FILTERS];
  }
  const own = attributes.map(({ name, dataType }): FilterField => ({ name, label: name, dataType }));
  return [...own, ...FILTERS.filter(({ name }) => !attributes.some((attribute) => attribute.name === name))];
}
