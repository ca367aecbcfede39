/** The list of relationships: data sets, cardinality, and pending work. */
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { History, Link2, Pencil, Plus } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { NamesOf } from '../../../components/people/index.tsx';
import { bulkActions } from '../../../components/review/actions.ts';
import { freezeDefinitions, useDefinitionsReview } from '../../../components/review/definitions.ts';
import { VERB_ICONS } from '../../../components/review/verbs.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useMayJoinDataSets } from '../../../lib/data-sets/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { type HeaderVerb, relationshipsQuery, reloadRelationships } from '../api/relationships.ts';
import { DELETED_RELATIONSHIP_COLUMNS, RELATIONSHIP_COLUMNS, RELATIONSHIP_FILTERS } from '../components/columns.tsx';
import { deletedRooms, listRooms } from '../components/live-rooms.ts';
import { RelationshipHistory } from '../components/RelationshipHistory.tsx';
import {
  HEADER_WORDS,
  headerRefusal,
  headerVerbs,
  RELATIONSHIP_WORDS,
  relationshipsText,
  useHeaderReview,
} from '../components/useHeaderReview.tsx';

const KEYS = [['relationships', 'list']];
const BY_NAME = { sort: 'name' } as const;
const LAST_FIRST = { sort: 'updatedAt', order: 'DESC' } as const;
/** In the order of their use. */
const BULK = ['approve', 'reject', 'recall', 'delete'] as const;
const relationshipId = (row: RelationshipView) => row.id;

export default function RelationshipList() {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const queries = useQueryClient();
  const [deleted, setDeleted] = useQueryState('deleted', parseAsBoolean.withDefault(false));
  const state = useListState(deleted ? LAST_FIRST : BY_NAME);
  const result = useQuery({ ...relationshipsQuery(state.params, deleted), placeholderData: keepPreviousData });
  const rows = result.data?.items;
  const live = useLive({ rooms: deleted ? deletedRooms(rows) : listRooms(rows), keys: KEYS });
  const [undoable, setUndoable] = useState<Undoable>();
  const review = useHeaderReview(setUndoable);
  const many = useDefinitionsReview<RelationshipView>({
    kind: 'relationships',
    countText: relationshipsText,
    words: RELATIONSHIP_WORDS,
    isServed: ({ counts }) => counts.served > 0,
    reload: () => reloadRelationships(queries),
    onUndoable: setUndoable,
  });
  const mayCreate = useMayJoinDataSets();
  const [remembered, setRemembered] = useState<RelationshipView>();
  const refusalOf = (verb: HeaderVerb, row: RelationshipView) => headerRefusal(verb, row, user.id);
  const history: RowAction<RelationshipView> = { label: 'History', icon: History, onSelect: setRemembered };

  const ofDeleted = (row: RelationshipView): readonly RowAction<RelationshipView>[] => [
    {
      label: RELATIONSHIP_WORDS.restore.action,
      icon: VERB_ICONS.restore,
      onSelect: () => void many.one('restore', row),
      unavailable: refusalOf('restore', row),
    },
    history,
  ];

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
      onSelect: () => review.openDialog(verb, row),
      unavailable: refusalOf(verb, row),
      destructive: HEADER_WORDS[verb].destructive ?? false,
    })),
    history,
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
        description="Connections between rows of two data sets."
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
      <NamesOf ids={deleted ? (rows ?? []).map(({ updatedBy }) => updatedBy) : []}>
        <DataGrid
          label="Relationships"
          entity="relationships"
          state={state}
          result={result}
          columns={deleted ? DELETED_RELATIONSHIP_COLUMNS : RELATIONSHIP_COLUMNS}
          rowId={relationshipId}
          rowActions={deleted ? ofDeleted : actionsOf}
          inlineActions={deleted && mayCreate ? 1 : 0}
          // Users with WRITE on a data set may have decisions on the relationships from it.
          bulkActions={
            mayCreate
              ? bulkActions({
                  verbs: deleted ? ['restore'] : BULK,
                  words: RELATIONSHIP_WORDS,
                  review: many,
                  refusalOf: (verb, row) => refusalOf(verb as HeaderVerb, row),
                })
              : []
          }
          selectionOf={String(deleted)}
          selectAll={(params) => freezeDefinitions('relationships', params, deleted)}
          onOpen={deleted ? setRemembered : (row) => void navigate(`/relationships/${row.id}/values`)}
          filterFields={RELATIONSHIP_FILTERS}
          live={live}
          flashAs="relationship"
          actions={<Switch label="Deleted" checked={deleted} onCheckedChange={(on) => void setDeleted(on || null)} />}
          empty={
            deleted
              ? { title: 'Nothing was deleted', description: 'Deleted relationships stay here and can be restored.' }
              : {
                  title: 'No relationships yet',
                  description: mayCreate
                    ? 'A relationship connects rows of one data set to rows of another.'
                    : 'No relationship is shared with you yet.',
                  action: create,
                }
          }
        />
      </NamesOf>
      {review.dialog}
      {many.dialogs}
      {remembered !== undefined && (
        <RelationshipHistory relationship={remembered} onClose={() => setRemembered(undefined)} />
      )}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}
