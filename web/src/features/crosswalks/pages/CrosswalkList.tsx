/** The list of crosswalks: data sets, mapped share, and status. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeftRight, ArrowRightLeft, CircleHelp, Copy, History, Pencil, Plus } from 'lucide-react';
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
import { PAST_IS_READ_ONLY } from '../../../lib/api/index.ts';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useMayJoinDataSets } from '../../../lib/data-sets/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useIsPast } from '../../../lib/past/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { type CopyMode, crosswalksQuery, type HeaderVerb, reloadCrosswalks } from '../api/crosswalks.ts';
import { COPY_WORDS, CopyDialog } from '../components/definition/CopyDialog.tsx';
import { CrosswalkHistory } from '../components/definition/CrosswalkHistory.tsx';
import {
  CROSSWALK_COLUMNS,
  CROSSWALK_FILTERS,
  DELETED_CROSSWALK_COLUMNS,
} from '../components/definition/crosswalk-columns.tsx';
import { deletedRooms, listRooms } from '../components/definition/live-rooms.ts';
import {
  HEADER_WORDS,
  headerRefusal,
  headerVerbs,
  isDestructive,
  useHeaderReview,
} from '../components/definition/useHeaderReview.tsx';
import { CROSSWALK_WORDS, crosswalksText } from '../components/mappings/review-words.ts';

const KEYS = [['crosswalks', 'list']];
const BY_NAME = { sort: 'name' } as const;
const LAST_FIRST = { sort: 'updatedAt', order: 'DESC' } as const;
/** In the order of their use; revoking is only available on the crosswalk itself. */
const BULK = ['submit', 'approve', 'reject', 'recall', 'discard', 'delete'] as const;
const crosswalkId = (row: CrosswalkView) => row.id;

export default function CrosswalkList() {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const isPast = useIsPast();
  const queries = useQueryClient();
  const [deleted, setDeleted] = useQueryState('deleted', parseAsBoolean.withDefault(false));
  const state = useListState(deleted ? LAST_FIRST : BY_NAME);
  const result = useQuery({ ...crosswalksQuery(state.params, deleted), placeholderData: keepPreviousData });
  const rows = result.data?.items;
  const live = useLive({ rooms: deleted ? deletedRooms(rows) : listRooms(rows), keys: KEYS });
  const [undoable, setUndoable] = useState<Undoable>();
  const review = useHeaderReview(setUndoable);
  const many = useDefinitionsReview<CrosswalkView>({
    kind: 'crosswalks',
    countText: crosswalksText,
    words: CROSSWALK_WORDS,
    isServed: ({ isServed, counts }) => isServed || counts.served > 0,
    reload: () => reloadCrosswalks(queries),
    onUndoable: setUndoable,
  });
  const mayCreate = useMayJoinDataSets();
  const [remembered, setRemembered] = useState<CrosswalkView>();
  const [copying, setCopying] = useState<{ crosswalk: CrosswalkView; copying: CopyMode }>();

  const refusalOf = (verb: HeaderVerb, row: CrosswalkView) => headerRefusal(verb, row, user.id);
  const verbAction = (verb: HeaderVerb, row: CrosswalkView): RowAction<CrosswalkView> => ({
    label: HEADER_WORDS[verb].action,
    icon: VERB_ICONS[verb],
    onSelect: () => review.openDialog(verb, row),
    unavailable: refusalOf(verb, row),
    destructive: isDestructive(verb),
  });
  const history: RowAction<CrosswalkView> = { label: 'History', icon: History, onSelect: setRemembered };

  const ofDeleted = (row: CrosswalkView): readonly RowAction<CrosswalkView>[] => [
    {
      label: CROSSWALK_WORDS.restore.action,
      icon: VERB_ICONS.restore,
      onSelect: () => void many.one('restore', row),
      unavailable: refusalOf('restore', row),
    },
    history,
  ];

  const actionsOf = (row: CrosswalkView): readonly RowAction<CrosswalkView>[] => [
    { label: 'Mappings', icon: ArrowLeftRight, onSelect: () => void navigate(`/crosswalks/${row.id}/mappings`) },
    {
      label: 'Edit',
      icon: Pencil,
      onSelect: () => void navigate(`/crosswalks/${row.id}/edit`),
      unavailable: row.level === 'ADMIN' ? undefined : 'Editing needs ADMIN on the source data set',
    },
    {
      label: COPY_WORDS.duplicate.action,
      icon: Copy,
      onSelect: () => setCopying({ crosswalk: row, copying: 'duplicate' }),
      unavailable: hasLevel(row.level, 'WRITE') ? undefined : 'Duplicating needs WRITE on the source data set',
    },
    {
      label: COPY_WORDS.reverse.action,
      icon: ArrowRightLeft,
      onSelect: () => setCopying({ crosswalk: row, copying: 'reverse' }),
      unavailable: isPast ? PAST_IS_READ_ONLY : undefined,
    },
    ...headerVerbs(row).map((verb) => verbAction(verb, row)),
    history,
  ];

  const create = mayCreate && (
    <Button asChild variant="primary">
      <Link to="/crosswalks/create">
        <Plus />
        Create crosswalk
      </Link>
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Crosswalks"
        description="Mappings between the values of two data sets."
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to="/missing-mappings">
                <CircleHelp />
                Missing mappings
              </Link>
            </Button>
            {create}
          </>
        }
      />
      <NamesOf ids={deleted ? (rows ?? []).map(({ updatedBy }) => updatedBy) : []}>
        <DataGrid
          label="Crosswalks"
          entity="crosswalks"
          state={state}
          result={result}
          columns={deleted ? DELETED_CROSSWALK_COLUMNS : CROSSWALK_COLUMNS}
          rowId={crosswalkId}
          rowActions={deleted ? ofDeleted : actionsOf}
          inlineActions={deleted && mayCreate ? 1 : 0}
          // Users with WRITE on a data set may have decisions on the crosswalks from it.
          bulkActions={
            mayCreate
              ? bulkActions({ verbs: deleted ? ['restore'] : BULK, words: CROSSWALK_WORDS, review: many, refusalOf })
              : []
          }
          selectionOf={String(deleted)}
          selectAll={(params) => freezeDefinitions('crosswalks', params, deleted)}
          onOpen={deleted ? setRemembered : (row) => void navigate(`/crosswalks/${row.id}/mappings`)}
          filterFields={CROSSWALK_FILTERS}
          live={live}
          flashAs="crosswalk"
          actions={<Switch label="Deleted" checked={deleted} onCheckedChange={(on) => void setDeleted(on || null)} />}
          empty={
            deleted
              ? { title: 'Nothing was deleted', description: 'Deleted crosswalks stay here and can be restored.' }
              : {
                  title: 'No crosswalks yet',
                  description: mayCreate
                    ? 'A crosswalk maps the values of one data set to those of another.'
                    : 'No crosswalk is shared with you yet.',
                  action: create,
                }
          }
        />
      </NamesOf>
      {review.dialog}
      {many.dialogs}
      {remembered !== undefined && <CrosswalkHistory crosswalk={remembered} onClose={() => setRemembered(undefined)} />}
      {copying !== undefined && <CopyDialog {...copying} onClose={() => setCopying(undefined)} />}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}
