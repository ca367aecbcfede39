/** Columns of the relationship list. */
import { RELATIONSHIP_FIELDS } from '@rdm/contracts/relationships/list-fields';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { Link } from 'react-router-dom';
import { columnsOf, linkClasses, NONE } from '../../../components/data-grid/index.ts';
import { DataSetEnds } from '../../../components/data-set-ends/index.tsx';
import { deletedColumns } from '../../../components/deletion-note/columns.tsx';
import { StatusCounts } from '../../../components/status-badge/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { CARDINALITY_WORDS } from '../../../lib/definitions/words.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';

export function RelationshipEnds({ relationship }: { relationship: RelationshipView }) {
  return (
    <DataSetEnds
      source={{ name: relationship.sourceName, field: relationship.sourceField }}
      target={{ name: relationship.targetName, field: relationship.targetField }}
    />
  );
}

const { custom, text, time } = columnsOf<RelationshipView>(RELATIONSHIP_FIELDS);

const attributeNames = ({ attributes }: RelationshipView) => attributes.map(({ name }) => name).join(', ');

export const RELATIONSHIP_COLUMNS = [
  text('name', {
    cell: (row) => (
      <>
        <Link to={`/relationships/${row.id}/values`} className={`font-medium ${linkClasses}`}>
          {row.name}
        </Link>
        {row.deletionRequested && <Badge className="ml-2">Deletion pending</Badge>}
      </>
    ),
    required: true,
    minWidth: 150,
    wrap: true,
  }),
  custom('sourceName', {
    header: 'Source → target',
    cell: (row) => <RelationshipEnds relationship={row} />,
    value: (row) => `${row.sourceName} (${row.sourceField}) → ${row.targetName} (${row.targetField})`,
    minWidth: 210,
    wrap: true,
  }),
  text('relationshipType', { cell: ({ relationshipType }) => relationshipType || NONE, minWidth: 90 }),
  text('cardinality', { cell: ({ cardinality }) => CARDINALITY_WORDS[cardinality], width: 116 }),
  custom('counts', {
    header: 'Values by status',
    cell: (row) => <StatusCounts counts={row.counts} />,
    value: ({ counts }) =>
      `${counts.draft} draft, ${counts.pending} pending, ${counts.approved} approved, ${counts.rejected} rejected`,
    width: 196,
  }),
  custom('attributes', {
    header: 'Attributes',
    cell: (row) => attributeNames(row) || NONE,
    value: attributeNames,
    hidden: true,
    minWidth: 120,
  }),
  time('updatedAt', { width: 132 }),
];

export const DELETED_RELATIONSHIP_COLUMNS = deletedColumns<RelationshipView>(
  RELATIONSHIP_COLUMNS.filter(({ id }) => id === 'sourceName' || id === 'cardinality' || id === 'counts'),
);

export const RELATIONSHIP_FILTERS = filterFields(RELATIONSHIP_FIELDS);
