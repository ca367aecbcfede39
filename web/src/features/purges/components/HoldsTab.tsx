/** The tab of legal holds. A hold protects data from purge and erasure until the hold is released. */
import type { LegalHoldView } from '@rdm/contracts/access/legal-holds';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { LockOpen, Plus } from 'lucide-react';
import { useState } from 'react';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import { columnsOf, DataGrid, type RowAction, useLocalPaging } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { holdsQuery, releaseHold, reloadPurges } from '../api/purges.ts';
import { PlaceHoldDialog } from './PlaceHoldDialog.tsx';
import { scopeText } from './words.ts';

const { custom, text } = columnsOf<LegalHoldView>();

const timeAndUser = (at: string, by: string | null) => (
  <>
    {by}{' '}
    <span className="text-muted">
      <RelativeTime at={at} />
    </span>
  </>
);

const COLUMNS = [
  custom('scope', { header: 'Covers', value: scopeText, cell: scopeText, minWidth: 180, wrap: true, required: true }),
  text('matter', { header: 'Matter', minWidth: 120, wrap: true }),
  text('reason', { header: 'Reason', minWidth: 180, wrap: true }),
  custom('placedAt', {
    header: 'Placed',
    value: ({ placedAt }) => placedAt,
    width: 180,
    cell: ({ placedAt, placedBy }) => timeAndUser(placedAt, placedBy),
  }),
  custom('releasedAt', {
    header: 'Released',
    value: ({ releasedAt }) => releasedAt,
    minWidth: 180,
    wrap: true,
    cell: ({ releasedAt, releasedBy, releaseReason }) =>
      releasedAt === null ? (
        'In force'
      ) : (
        <>
          {timeAndUser(releasedAt, releasedBy)}: {releaseReason}
        </>
      ),
  }),
];

const holdId = ({ id }: LegalHoldView) => id;

export function HoldsTab() {
  const queries = useQueryClient();
  const state = useListState({ sort: 'id', order: 'DESC' });
  const holds = useQuery(holdsQuery);
  const result = useLocalPaging(holds, state.params);
  const [isPlacing, setPlacing] = useState(false);
  const [holdToRelease, setHoldToRelease] = useState<LegalHoldView>();
  const [busy, setBusy] = useState(false);

  async function release(hold: LegalHoldView, reason: string) {
    setBusy(true);
    try {
      await releaseHold(hold.id, reason);
      setHoldToRelease(undefined);
      notify.success('Legal hold released');
    } catch (error) {
      // The dialog stays open, with the reason.
      notify.error(messageOf(error), { title: 'The legal hold was not released' });
    }
    setBusy(false);
    await reloadPurges(queries);
  }

  const actionsOf = (hold: LegalHoldView): readonly RowAction<LegalHoldView>[] => [
    {
      label: 'Release',
      icon: LockOpen,
      onSelect: () => setHoldToRelease(hold),
      unavailable: hold.releasedAt === null ? undefined : 'This legal hold was already released',
    },
  ];

  const placeButton = (
    <Button variant="primary" onClick={() => setPlacing(true)}>
      <Plus />
      Place a legal hold
    </Button>
  );

  return (
    <>
      <DataGrid
        label="Legal holds"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={holdId}
        rowActions={actionsOf}
        searchable={false}
        actions={placeButton}
        errorTitle="The legal holds could not be loaded"
        empty={{
          title: 'No legal holds',
          description: 'A legal hold protects a data set, a collection, a user or everything from purge and erasure.',
          action: placeButton,
        }}
      />
      {isPlacing && <PlaceHoldDialog onClose={() => setPlacing(false)} />}
      {holdToRelease !== undefined && (
        <CommentDialog
          title="Release this legal hold"
          description={`${scopeText(holdToRelease)}, ${holdToRelease.matter}. After the release, this hold no longer protects the data from purge and erasure.`}
          confirm="Release"
          reasonRequired
          busy={busy}
          onConfirm={(reason = '') => void release(holdToRelease, reason)}
          onCancel={() => setHoldToRelease(undefined)}
        />
      )}
    </>
  );
}
