/** Shows the plan of a purge and confirms the purge. The only administrator needs a proof of identity. */
import type { PurgeView } from '@rdm/contracts/admin/purge-requests';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useIdentityProof } from '../../../components/identity-proof/index.tsx';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { confirmPurge, purgeQuery, reloadPurges } from '../api/purges.ts';
import { PlanDetails } from './plan/Plan.tsx';

export function ConfirmDialog({ purge, onClose }: { purge: PurgeView; onClose: () => void }) {
  const queries = useQueryClient();
  const { data } = useQuery(purgeQuery(purge.id));
  const identity = useIdentityProof('You are the only administrator, so you confirm your own request.');

  return (
    <SubmitDialog
      title="Confirm this purge"
      description={`${purge.requestedBy} requested this purge: “${purge.reason}”`}
      submit="Delete for good"
      destructive
      disabled={data?.plan == null || (purge.confirmNeedsPassword && !identity.isGiven)}
      onClose={onClose}
      onSubmit={async () => {
        await confirmPurge(purge.id, purge.confirmNeedsPassword ? identity.take() : {});
        notify.success('Purge confirmed', { description: 'It runs as a job and can be followed here.' });
        await reloadPurges(queries);
      }}
    >
      <Alert tone="warning">Purged data cannot be restored, and a purge cannot be undone.</Alert>
      {data?.plan ? <PlanDetails purge={data} plan={data.plan} /> : <Skeleton className="h-24" />}
      {purge.confirmNeedsPassword && identity.field}
    </SubmitDialog>
  );
}
