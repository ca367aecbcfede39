/** The columns of relationship values: source and target row, attributes, review state and last change. */
import type { FilterField } from '@rdm/contracts/lists/filter';
import { RELATIONSHIP_OF_VALUE_FIELDS, RELATIONSHIP_VALUE_FIELDS } from '@rdm/contracts/relationships/list-fields';
import type { AttributeView } from '@rdm/contracts/relationships/relationships';
import type { CellValue } from '@rdm/contracts/text/rows';
import { Unlink } from 'lucide-react';
import { Link } from 'react-router-dom';
import { columnsOf, type GridColumn, linkClasses, NONE } from '../../../../components/data-grid/index.ts';
import { Badge } from '../../../../components/ui/badge.tsx';
import { filterFields } from '../../../../lib/filters/filter-fields.ts';
import type { ValueRow, ValueTab } from '../../api/values.ts';
import { approvedVersionText, keyText } from '../review-words.ts';

const { custom, text, person, time, status } = columnsOf<ValueRow>({
  ...RELATIONSHIP_VALUE_FIELDS,
  ...RELATIONSHIP_OF_VALUE_FIELDS,
});

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
      {/* The space before the label lets the line wrap after the key. */}
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
  const approvedText = approvedVersionText(row);
  return (
    <>
      <EndCell
        instanceKey={row.targetKey}
        instanceId={row.targetInstanceId}
        label={row.targetLabel}
        missing={row.targetMissing}
      />
      {row.deletionRequested && <Badge className="ml-2">Deletion requested</Badge>}
      {approvedText !== undefined && (
        <Badge tone="outline" className="ml-2">
          Served: <span className="font-mono">{approvedText}</span>
        </Badge>
      )}
    </>
  );
}

const ends = [
  text('sourceKey', {
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
    required: true,
    minWidth: 130,
    wrap: true,
  }),
  text('targetKey', { cell: (row) => <TargetCell row={row} />, required: true, minWidth: 130, wrap: true }),
];

const relationshipColumn = text('relationshipName', {
  cell: (row) => (
    <Link
      to={`/relationships/${row.relationshipId}/values`}
      className={linkClasses}
      title={`${row.sourceName} → ${row.targetName}`}
    >
      {row.relationshipName}
    </Link>
  ),
  minWidth: 130,
});

const cellText = (value: CellValue | undefined): string => (value === null || value === undefined ? '' : String(value));

/**
 * The column of one attribute in the list of one relationship. In a list of several relationships, all attributes share
 * one column.
 */
function attributeColumn({ name, dataType }: AttributeView): GridColumn<ValueRow> {
  // The server sorts by column id, so the list cannot be sorted by an attribute with the name of a common column.
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

const attributesColumn = custom('attributes', {
  header: 'Attributes',
  cell: (row) => attributesText(row) || NONE,
  value: attributesText,
  minWidth: 120,
  wrap: true,
});

const USER = { none: NONE, width: 132 };

const reasonColumn = text('rejectionReason', {
  cell: ({ rejectionReason }) => rejectionReason ?? NONE,
  sortable: false,
  minWidth: 170,
  wrap: true,
});

/** The review columns that each tab shows by default. */
const DEFAULT_COLUMNS: Record<ValueTab, readonly string[]> = {
  draft: ['approvalStatus', 'updatedBy', 'updatedAt'],
  pending: ['approvalStatus', 'submittedBy', 'submittedAt'],
  approved: ['approvalStatus', 'submittedBy', 'approvedBy', 'approvedAt'],
  rejected: ['approvalStatus', 'rejectionReason', 'rejectedBy', 'rejectedAt'],
  broken: ['approvalStatus', 'submittedBy', 'approvedBy', 'updatedAt'],
  deleted: ['approvalStatus', 'updatedBy', 'updatedAt'],
};

/** The column headers on the tab of deleted values, where the last change is the deletion. */
const DELETED_HEADERS: Readonly<Record<string, string>> = {
  approvalStatus: 'Last status',
  updatedBy: 'Deleted by',
  updatedAt: 'Deleted',
};

const REVIEW_COLUMNS = [
  status('approvalStatus', { width: 104 }),
  reasonColumn,
  person('submittedBy', USER),
  time('submittedAt', { width: 136 }),
  person('approvedBy', USER),
  time('approvedAt', { width: 136 }),
  person('rejectedBy', USER),
  time('rejectedAt', { width: 136 }),
  person('createdBy', { ...USER, header: 'Added by' }),
  person('updatedBy', { ...USER, header: 'Updated by' }),
  time('updatedAt', { width: 136 }),
];

/** `attributes` are the attributes of the relationship; undefined in the list of several relationships. */
export function valueColumns(
  tab: ValueTab,
  attributes: readonly AttributeView[] | undefined,
): readonly GridColumn<ValueRow>[] {
  return [
    ...ends,
    ...(attributes === undefined ? [relationshipColumn, attributesColumn] : attributes.map(attributeColumn)),
    ...REVIEW_COLUMNS.map((reviewColumn) => {
      const column =
        tab === 'deleted' && reviewColumn.id in DELETED_HEADERS
          ? { ...reviewColumn, header: DELETED_HEADERS[reviewColumn.id] ?? '' }
          : reviewColumn;
      return DEFAULT_COLUMNS[tab].includes(column.id) ? column : { ...column, hidden: true };
    }),
  ];
}

const FILTERS = filterFields(RELATIONSHIP_VALUE_FIELDS);

export function valueFilters(attributes: readonly AttributeView[] | undefined): readonly FilterField[] {
  if (attributes === undefined) {
    return [...filterFields(RELATIONSHIP_OF_VALUE_FIELDS), ...FILTERS];
  }
  const attributeFilters = attributes.map(({ name, dataType }): FilterField => ({ name, label: name, dataType }));
  return [
    ...attributeFilters,
    ...FILTERS.filter(({ name }) => !attributes.some((attribute) => attribute.name === name)),
  ];
}
