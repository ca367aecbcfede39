/** Lists ended purges, or the requested purges that have not ended. */
import type { PurgeView } from '@rdm/contracts/admin/purge-requests';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Check, PanelRight, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import { DataGrid, type RowAction, useLocalPaging } from '../../../components/data-grid/index.ts';
import { notify } from '../../../components/toast/index.ts';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { changePurge, declinePurge, purgesQuery, reloadPurges } from '../api/purges.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { PurgeDrawer } from './PurgeDrawer.tsx';
import { ENDED_COLUMNS, OPEN_COLUMNS } from './purge-columns.tsx';
import { contentText, stateText } from './words.ts';

export const isEnded = ({ status }: PurgeView): boolean =>
  status === 'DONE' || status === 'DECLINED' || status === 'CANCELLED';

const purgeId = ({ id }: PurgeView) => id;

type Step = 'details' | 'confirm' | 'decline' | 'cancel';

export function PurgesTab({ ended }: { ended: boolean }) {
  const queries = useQueryClient();
  const state = useListState({ sort: 'id', order: 'DESC' });
  const allPurges = useQuery(purgesQuery);
  const purges = allPurges.data?.filter((each) => each.status !== 'DRY_RUN' && isEnded(each) === ended);
  const result = useLocalPaging({ ...allPurges, data: purges }, state.params);
  const [dialog, setDialog] = useState<{ id: number; step: Step }>();
  const openedPurge = allPurges.data?.find(({ id }) => id === dialog?.id);
  const close = () => setDialog(undefined);
  const [busy, setBusy] = useState(false);

  async function act(work: () => Promise<unknown>, successText: string) {
    setBusy(true);
    try {
      await work();
      close();
      notify.success(successText);
    } catch (error) {
      // The dialog stays open, with the reason.
      notify.error(messageOf(error), { title: 'The purge was not changed' });
    }
    setBusy(false);
    await reloadPurges(queries);
  }

  const actionsOf = (purge: PurgeView): readonly RowAction<PurgeView>[] => {
    const { id, status, mayConfirm, isSealed } = purge;
    const open = (step: Step) => () => setDialog({ id, step });
    const details = { label: 'Details', icon: PanelRight, onSelect: open('details') };
    if (ended) return [details];
    const confirmedReason = status === 'REQUESTED' ? undefined : 'This purge is already confirmed';
    return [
      details,
      {
        label: 'Confirm',
        icon: Check,
        onSelect: open('confirm'),
        unavailable: confirmedReason ?? (mayConfirm ? undefined : stateText(purge)),
      },
      { label: 'Decline', icon: X, onSelect: open('decline'), unavailable: confirmedReason },
      ...(status === 'FAILED'
        ? [
            {
              label: 'Resume',
              icon: RotateCcw,
              onSelect: () => void act(() => changePurge(id, 'resume'), 'Purge resumed'),
            },
          ]
        : []),
      ...(status === 'RECLAIMING'
        ? [
            {
              label: 'Check again',
              icon: RotateCcw,
              onSelect: () => void act(() => changePurge(id, 'reclaim'), 'Checking whether the space is reclaimed'),
            },
          ]
        : []),
      {
        label: 'Cancel',
        icon: Ban,
        destructive: true,
        onSelect: open('cancel'),
        unavailable: isSealed ? 'This purge has begun to delete data and can no longer be cancelled' : undefined,
      },
    ];
  };

  return (
    <>
      <DataGrid
        label={ended ? 'Purges that have ended' : 'Purges that wait or run'}
        state={state}
        result={result}
        columns={ended ? ENDED_COLUMNS : OPEN_COLUMNS}
        rowId={purgeId}
        onOpen={({ id }) => setDialog({ id, step: 'details' })}
        rowActions={actionsOf}
        searchable={false}
        errorTitle="The purges could not be loaded"
        empty={
          ended
            ? {
                title: 'No purge has ended yet',
                description: 'Purges that are done, declined or cancelled are listed here.',
              }
            : {
                title: 'No pending or running purges',
                description: 'Plan and request a purge on the tab New. Requested purges stay here until they end.',
              }
        }
      />
      {openedPurge !== undefined && dialog?.step === 'details' && <PurgeDrawer purge={openedPurge} onClose={close} />}
      {openedPurge !== undefined && dialog?.step === 'confirm' && <ConfirmDialog purge={openedPurge} onClose={close} />}
      {openedPurge !== undefined && dialog?.step === 'decline' && (
        <CommentDialog
          title="Decline this purge"
          description={`${contentText(openedPurge)}. Nothing is deleted.`}
          confirm="Decline"
          reasonRequired
          busy={busy}
          onConfirm={(reason = '') => void act(() => declinePurge(openedPurge.id, reason), 'Purge declined')}
          onCancel={close}
        />
      )}
      {openedPurge !== undefined && dialog?.step === 'cancel' && (
        <Confirm
          open
          onOpenChange={close}
          title="Cancel this purge?"
          description={`${contentText(openedPurge)}. Nothing is deleted.`}
          confirm="Cancel the purge"
          cancel="Back"
          busy={busy}
          onConfirm={() => void act(() => changePurge(openedPurge.id, 'cancel'), 'Purge cancelled')}
        />
      )}
    </>
  );
}
