/** Confirms the purge that a different administrator requested, with its plan in sight. */
import type { PurgeView } from '@rdm/contracts/admin/purges';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { confirmPurge, purgeQuery, reloadPurges } from '../api/purges.ts';
import { PlanDetails } from './plan/Plan.tsx';

export function ConfirmDialog({ purge, onClose }: { purge: PurgeView; onClose: () => void }) {
  const queries = useQueryClient();
  const { data } = useQuery(purgeQuery(purge.id));
  const [password, setPassword] = useState('');

  return (
    <SubmitDialog
      title="Confirm this purge"
      description={`${purge.requestedBy} requested it: “${purge.reason}”`}
      submit="Delete for good"
      destructive
      disabled={data?.plan == null || (purge.confirmNeedsPassword && password === '')}
      onClose={onClose}
      onSubmit={async () => {
        await confirmPurge(purge.id, password);
        notify.success('Purge confirmed', { description: 'It runs as a job and can be followed here.' });
        await reloadPurges(queries);
      }}
    >
      <Alert tone="warning">What is purged cannot be restored, and no undo brings it back.</Alert>
      {data?.plan ? <PlanDetails purge={data} plan={data.plan} /> : <Skeleton className="h-24" />}
      {purge.confirmNeedsPassword && (
        <Field label="Your password" required hint="You are the only administrator, so you confirm your own request.">
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
      )}
    </SubmitDialog>
  );
}
