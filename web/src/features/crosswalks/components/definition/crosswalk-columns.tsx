/** Columns and filters of the crosswalk list. The printable table has the same columns. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { CROSSWALK_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import { Link } from 'react-router-dom';
import { columnsOf, linkClasses, muted } from '../../../../components/data-grid/index.ts';
import { deletedColumns } from '../../../../components/deletion-note/columns.tsx';
import { StatusBadge, StatusCounts, statusWord } from '../../../../components/status-badge/index.tsx';
import { filterFields } from '../../../../lib/filters/filter-fields.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { CrosswalkEnds, MappedShare } from './MappedShare.tsx';

const { custom, link, time, status } = columnsOf<CrosswalkView>(CROSSWALK_FIELDS);

export const CROSSWALK_COLUMNS = [
  link('name', {
    to: ({ id }) => `/crosswalks/${id}/mappings`,
    title: ({ description }) => description,
    minWidth: 160,
    wrap: true,
  }),
  custom('sourceName', {
    header: 'Source → target',
    cell: (row) => <CrosswalkEnds crosswalk={row} />,
    value: (row) => `${row.sourceName} (${row.sourceAttribute}) → ${row.targetName} (${row.targetAttribute})`,
    minWidth: 190,
    wrap: true,
  }),
  status('approvalStatus', {
    cell: (row) => (
      <StatusBadge status={row.approvalStatus}>
        {row.deletionRequested ? 'Deletion pending' : statusWord(row.approvalStatus)}
      </StatusBadge>
    ),
    width: 142,
  }),
  custom('mappedPercent', {
    header: 'Mapped (approved)',
    cell: (row) => <MappedShare crosswalk={row} />,
    value: (row) => row.mappedPercent,
    numeric: true,
    width: 148,
  }),
  custom('counts', {
    header: 'Values by status',
    cell: (row) => <StatusCounts counts={row.counts} />,
    value: ({ counts }) =>
      `${counts.draft} draft, ${counts.pending} pending, ${counts.approved} approved, ${counts.rejected} rejected`,
    width: 196,
  }),
  custom('missingCount', {
    header: 'Missing',
    cell: ({ id, missingCount }) => {
      if (missingCount === null) return muted('–');
      if (missingCount === 0) return muted('0');
      return (
        <Link to={`/missing-mappings?crosswalk=${id}`} className={linkClasses}>
          {formatNumber(missingCount)}
          <span className="sr-only"> missing mappings</span>
        </Link>
      );
    },
    value: (row) => row.missingCount,
    numeric: true,
    width: 76,
  }),
  time('lastApprovedAt', { width: 132 }),
];

export const DELETED_CROSSWALK_COLUMNS = deletedColumns<CrosswalkView>(
  CROSSWALK_COLUMNS.filter(({ id }) => id === 'sourceName' || id === 'counts' || id === 'lastApprovedAt'),
);

export const CROSSWALK_FILTERS = filterFields(CROSSWALK_FIELDS, [
  'name',
  'sourceName',
  'targetName',
  'approvalStatus',
  'mappedPercent',
  'pending',
]);
