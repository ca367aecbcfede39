/** Columns of the relationship list. */
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { Link } from 'react-router-dom';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { DataSetEnds } from '../../../components/data-set-ends/index.tsx';
import { deletedColumns } from '../../../components/deletion-note/columns.tsx';
import { StatusCounts } from '../../../components/status-badge/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { CARDINALITY_WORDS } from './cardinality-labels.ts';

export function RelationshipEnds({ relationship }: { relationship: RelationshipView }) {
  return (
    <DataSetEnds
      source={{ name: relationship.sourceName, field: relationship.sourceField }}
      target={{ name: relationship.targetName, field: relationship.targetField }}
    />
  );
}

export const RELATIONSHIP_COLUMNS: readonly GridColumn<RelationshipView>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (row) => (
      <>
        <Link
          to={`/relationships/${row.id}/values`}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          {row.name}
        </Link>
        {row.deletionRequested && <Badge className="ml-2">Deletion pending</Badge>}
      </>
    ),
    value: (row) => row.name,
    sortable: true,
    required: true,
    minWidth: 150,
    wrap: true,
  },
  {
    id: 'sourceName',
    header: 'Source → target',
    cell: (row) => <RelationshipEnds relationship={row} />,
    value: (row) => `${row.sourceName} (${row.sourceField}) → ${row.targetName} (${row.targetField})`,
    sortable: true,
    minWidth: 210,
    wrap: true,
  },
  {
    id: 'relationshipType',
    header: 'Type',
    cell: (row) => (row.relationshipType === '' ? <span className="text-muted">—</span> : row.relationshipType),
    value: (row) => row.relationshipType,
    sortable: true,
    minWidth: 90,
  },
  {
    id: 'cardinality',
    header: 'Cardinality',
    cell: (row) => CARDINALITY_WORDS[row.cardinality],
    value: (row) => row.cardinality,
    sortable: true,
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
    id: 'attributes',
    header: 'Attributes',
    cell: (row) => row.attributes.map(({ name }) => name).join(', ') || <span className="text-muted">—</span>,
    value: (row) => row.attributes.map(({ name }) => name).join(', '),
    hidden: true,
    minWidth: 120,
  },
  {
    id: 'updatedAt',
    header: 'Updated',
    cell: (row) => <RelativeTime at={row.updatedAt} />,
    value: (row) => row.updatedAt,
    sortable: true,
    width: 132,
  },
];

export const DELETED_RELATIONSHIP_COLUMNS = deletedColumns<RelationshipView>(
  RELATIONSHIP_COLUMNS.filter(({ id }) => id === 'sourceName' || id === 'cardinality' || id === 'counts'),
);

export const RELATIONSHIP_FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name', dataType: 'string' },
  { name: 'relationshipType', label: 'Type', dataType: 'string' },
  { name: 'cardinality', label: 'Cardinality', dataType: 'string' },
  { name: 'sourceName', label: 'Source', dataType: 'string' },
  { name: 'targetName', label: 'Target', dataType: 'string' },
  { name: 'createdAt', label: 'Created', dataType: 'datetime' },
  { name: 'updatedAt', label: 'Updated', dataType: 'datetime' },
];
