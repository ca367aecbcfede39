/** Columns of the crosswalk list, for the grid and for the printable table. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { Link } from 'react-router-dom';
import type { GridColumn } from '../../../../components/data-grid/index.ts';
import { deletedColumns } from '../../../../components/deletion-note/columns.tsx';
import { StatusBadge, StatusCounts } from '../../../../components/status-badge/index.tsx';
import { RelativeTime } from '../../../../components/timeline/index.tsx';
import { formatNumber } from '../../../../lib/number-format.ts';
import { CrosswalkEnds, MappedShare } from './MappedShare.tsx';

const linkClasses = 'text-accent underline-offset-2 hover:underline';

export const CROSSWALK_COLUMNS: readonly GridColumn<CrosswalkView>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (row) => (
      <Link to={`/crosswalks/${row.id}/mappings`} className={`font-medium ${linkClasses}`} title={row.description}>
        {row.name}
      </Link>
    ),
    value: (row) => row.name,
    sortable: true,
    required: true,
    minWidth: 160,
    wrap: true,
  },
  {
    id: 'sourceName',
    header: 'Source → target',
    cell: (row) => <CrosswalkEnds crosswalk={row} />,
    value: (row) => `${row.sourceName} (${row.sourceAttribute}) → ${row.targetName} (${row.targetAttribute})`,
    sortable: true,
    minWidth: 190,
    wrap: true,
  },
  {
    id: 'approvalStatus',
    header: 'Status',
    cell: (row) => (
      <StatusBadge status={row.approvalStatus}>
        {row.deletionRequested ? 'Deletion pending' : STATUS_WORDS[row.approvalStatus]}
      </StatusBadge>
    ),
    value: (row) => row.approvalStatus,
    sortable: true,
    width: 142,
  },
  {
    id: 'mappedPercent',
    header: 'Mapped',
    cell: (row) => <MappedShare percent={row.mappedPercent} />,
    value: (row) => row.mappedPercent,
    sortable: true,
    numeric: true,
    width: 116,
  },
  {
    id: 'counts',
    header: 'Values by status',
    cell: (row) => <StatusCounts counts={row.counts} />,
    value: ({ counts }) =>
      `${counts.draft} draft, ${counts.pending} pending, ${counts.approved} approved, ${counts.rejected} rejected`,
    width: 196,
  },
  {
    id: 'missingCount',
    header: 'Missing',
    cell: (row) =>
      row.missingCount === null ? (
        <span className="text-muted">–</span>
      ) : row.missingCount === 0 ? (
        <span className="text-muted">0</span>
      ) : (
        <Link to={`/missing-mappings?crosswalk=${row.id}`} className={linkClasses}>
          {formatNumber(row.missingCount)}
          <span className="sr-only"> missing mappings</span>
        </Link>
      ),
    value: (row) => row.missingCount,
    sortable: true,
    numeric: true,
    width: 76,
  },
  {
    id: 'lastApprovedAt',
    header: 'Last approved',
    cell: (row) =>
      row.lastApprovedAt === null ? <span className="text-muted">—</span> : <RelativeTime at={row.lastApprovedAt} />,
    value: (row) => row.lastApprovedAt,
    sortable: true,
    width: 132,
  },
];

export const DELETED_CROSSWALK_COLUMNS = deletedColumns<CrosswalkView>(
  CROSSWALK_COLUMNS.filter(({ id }) => id === 'sourceName' || id === 'counts' || id === 'lastApprovedAt'),
);

const STATUS_WORDS = { DRAFT: 'Draft', PENDING: 'Pending', APPROVED: 'Approved', REJECTED: 'Rejected' } as const;

export const CROSSWALK_FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name', dataType: 'string' },
  { name: 'sourceName', label: 'Source', dataType: 'string' },
  { name: 'targetName', label: 'Target', dataType: 'string' },
  { name: 'approvalStatus', label: 'Status', dataType: 'string' },
  { name: 'mappedPercent', label: 'Mapped %', dataType: 'number' },
  { name: 'pending', label: 'Pending values', dataType: 'number' },
  { name: 'missingCount', label: 'Missing requests', dataType: 'number' },
  { name: 'lastApprovedAt', label: 'Last approved', dataType: 'datetime' },
];
