/** The crosswalks: which data sets are mapped, how far, and what waits for whom. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { hasLevel } from '@rdm/contracts/permissions';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, ArrowRightLeft, CircleHelp, Copy, Pencil, Plus, RotateCcw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { type Copying, crosswalksQuery } from '../api/crosswalks.ts';
import { COPY_WORDS, CopyDialog } from '../components/CopyDialog.tsx';
import { CROSSWALK_COLUMNS, CROSSWALK_FILTERS } from '../components/columns.tsx';
import { listRooms, useMayCreate } from '../components/reach.ts';
import { HEADER_WORDS, headerRefusal, headerVerbs, useHeaderReview } from '../components/useHeaderReview.tsx';

const KEYS = [['crosswalks', 'list']];
const crosswalkId = (row: CrosswalkView) => row.id;

export default function CrosswalkList() {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const state = useListState({ sort: 'name' });
  const result = useQuery({ ...crosswalksQuery(state.params), placeholderData: keepPreviousData });
  const live = useLive({ rooms: listRooms(result.data?.items), keys: KEYS });
  const [undoable, setUndoable] = useState<Undoable>();
  const review = useHeaderReview({ onUndoable: setUndoable });
  const mayCreate = useMayCreate();
  const [copying, setCopying] = useState<{ crosswalk: CrosswalkView; copying: Copying }>();

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
    },
    {
      label: HEADER_WORDS.submit.action,
      icon: Send,
      onSelect: () => review.ask('submit', row),
      unavailable: headerRefusal('submit', row, user.id),
    },
    ...(headerVerbs(row).includes('discard')
      ? [
          {
            label: HEADER_WORDS.discard.action,
            icon: RotateCcw,
            onSelect: () => review.ask('discard', row),
            unavailable: headerRefusal('discard', row, user.id),
            destructive: true,
          },
        ]
      : []),
    {
      label: HEADER_WORDS.delete.action,
      icon: Trash2,
      onSelect: () => review.ask('delete', row),
      unavailable: headerRefusal('delete', row, user.id),
      destructive: true,
    },
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
        description="Which value of one data set means which of another."
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
      <DataGrid
        label="Crosswalks"
        entity="crosswalks"
        state={state}
        result={result}
        columns={CROSSWALK_COLUMNS}
        rowId={crosswalkId}
        rowActions={actionsOf}
        onOpen={(row) => void navigate(`/crosswalks/${row.id}/mappings`)}
        filterFields={CROSSWALK_FILTERS}
        live={live}
        flashAs="crosswalk"
        empty={{
          title: 'No crosswalks yet',
          description: mayCreate
            ? 'A crosswalk maps the values of one data set to those of another.'
            : 'Nobody has shared a crosswalk with you yet.',
          action: create,
        }}
      />
      {review.dialog}
      {copying !== undefined && <CopyDialog {...copying} onClose={() => setCopying(undefined)} />}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}
