/** The relationships: which data sets are related, by which rule, and what waits for whom. */
import type { RelationshipView } from '@rdm/contracts/relationships';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link2, Pencil, Plus } from 'lucide-react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { VERB_ICONS } from '../../../components/review/verbs.ts';
import { Button } from '../../../components/ui/button.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { relationshipsQuery } from '../api/relationships.ts';
import { RELATIONSHIP_COLUMNS, RELATIONSHIP_FILTERS } from '../components/columns.tsx';
import { listRooms, useMayCreate } from '../components/reach.ts';
import { HEADER_WORDS, headerRefusal, headerVerbs, useHeaderReview } from '../components/useHeaderReview.tsx';

const KEYS = [['relationships', 'list']];
const relationshipId = (row: RelationshipView) => row.id;

export default function RelationshipList() {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const state = useListState({ sort: 'name' });
  const result = useQuery({ ...relationshipsQuery(state.params), placeholderData: keepPreviousData });
  const live = useLive({ rooms: listRooms(result.data?.items), keys: KEYS });
  const review = useHeaderReview();
  const mayCreate = useMayCreate();

  const actionsOf = (row: RelationshipView): readonly RowAction<RelationshipView>[] => [
    { label: 'Values', icon: Link2, onSelect: () => void navigate(`/relationships/${row.id}/values`) },
    {
      label: row.level === 'ADMIN' ? 'Edit' : 'Definition',
      icon: Pencil,
      onSelect: () => void navigate(`/relationships/${row.id}`),
    },
    ...headerVerbs(row).map((verb) => ({
      label: HEADER_WORDS[verb].action,
      icon: VERB_ICONS[verb],
      onSelect: () => review.ask(verb, row),
      unavailable: headerRefusal(verb, row, user.id),
      destructive: verb === 'delete' || verb === 'approve',
    })),
  ];

  const create = mayCreate && (
    <Button asChild variant="primary">
      <Link to="/relationships/create">
        <Plus />
        Create relationship
      </Link>
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Relationships"
        description="Which rows of one data set belong to which of another."
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to="/relationship-values">
                <Link2 />
                All values
              </Link>
            </Button>
            {create}
          </>
        }
      />
      <DataGrid
        label="Relationships"
        entity="relationships"
        state={state}
        result={result}
        columns={RELATIONSHIP_COLUMNS}
        rowId={relationshipId}
        rowActions={actionsOf}
        onOpen={(row) => void navigate(`/relationships/${row.id}/values`)}
        filterFields={RELATIONSHIP_FILTERS}
        live={live}
        flashAs="relationship"
        empty={{
          title: 'No relationships yet',
          description: mayCreate
            ? 'A relationship says which rows of one data set belong to which of another.'
            : 'Nobody has shared a relationship with you yet.',
          action: create,
        }}
      />
      {review.dialog}
    </div>
  );
}
