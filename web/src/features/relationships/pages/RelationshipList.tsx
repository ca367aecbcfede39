/** The list of relationships: data sets, cardinality, and the number of values by status. */
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { Link2, Pencil } from 'lucide-react';
import { useNavigate } from 'react-router-dom';
import type { RowAction } from '../../../components/data-grid/index.ts';
import { DefinitionList } from '../../../components/definitions/list.tsx';
import { DELETED_RELATIONSHIP_COLUMNS, RELATIONSHIP_COLUMNS, RELATIONSHIP_FILTERS } from '../components/columns.tsx';
import { RELATIONSHIP } from '../components/relationship-kind.ts';

/** The bulk verbs in the order of their buttons. */
const BULK_VERBS = ['approve', 'reject', 'recall', 'delete'] as const;

export default function RelationshipList() {
  const navigate = useNavigate();

  const actionsOf = (row: RelationshipView): readonly RowAction<RelationshipView>[] => [
    {
      label: row.level === 'ADMIN' ? 'Edit' : 'Show definition',
      icon: Pencil,
      onSelect: () => void navigate(`/relationships/${row.id}`),
    },
  ];

  return (
    <DefinitionList
      kind={RELATIONSHIP}
      description="Connections between rows of two data sets."
      purpose="A relationship connects rows of one data set to rows of another."
      columns={RELATIONSHIP_COLUMNS}
      deletedColumns={DELETED_RELATIONSHIP_COLUMNS}
      filterFields={RELATIONSHIP_FILTERS}
      bulkVerbs={BULK_VERBS}
      actionsOf={actionsOf}
      relatedPage={{ to: '/relationship-values', label: 'All values', icon: Link2 }}
    />
  );
}
