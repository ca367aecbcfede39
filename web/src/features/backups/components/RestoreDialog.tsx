/** Replaces all data with a backup. Shows what is lost, and requires the file name and a proof of identity. */
import type { BackupView, RestorePreview, RunningRestore } from '@rdm/contracts/admin/backups';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { format } from 'date-fns';
import { useEffect, useState } from 'react';
import { useIdentityProof } from '../../../components/identity-proof/index.tsx';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input, PasswordInput } from '../../../components/ui/input.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { isServing, reloadBackups, restoreBackup, restorePreviewQuery } from '../api/backups.ts';

export interface RestoreDialogProps {
  backup: BackupView;
  onClose: () => void;
}

export function RestoreDialog({ backup, onClose }: RestoreDialogProps) {
  const queries = useQueryClient();
  const preview = useQuery(restorePreviewQuery(backup.id));
  const [name, setName] = useState('');
  const identity = useIdentityProof();
  const [passphrase, setPassphrase] = useState('');
  const [requireNewPasswords, setRequireNewPasswords] = useState(true);

  return (
    <SubmitDialog
      title="Restore this backup"
      description="The data of the backup replace all current data. Users can work until the new data are ready. Then the product restarts, and all users must sign in again."
      submit="Restore"
      disabled={name !== backup.fileName || !identity.isGiven || !isRestorable(preview.data)}
      onClose={onClose}
      onSubmit={async () => {
        await restoreBackup(backup.id, { name, passphrase, requireNewPasswords, ...identity.take() });
        await reloadBackups(queries);
      }}
    >
      {preview.data !== undefined ? (
        <Consequences preview={preview.data} />
      ) : preview.error !== null ? (
        <Alert tone="error">{messageOf(preview.error)}</Alert>
      ) : (
        <Skeleton className="h-16" />
      )}
      {(preview.data?.passwordsChanged ?? 0) > 0 && (
        <Switch
          label="Require a new password from users who changed their password after the backup"
          checked={requireNewPasswords}
          onCheckedChange={setRequireNewPasswords}
        />
      )}
      <Field label="Name of the file" required hint={<span className="break-all">Type {backup.fileName}</span>}>
        {(control) => <Input {...control} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      {backup.encrypted === true && (
        <Field label="Passphrase of the file" hint="Leave it empty if the passphrase is configured on the server.">
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="off"
              value={passphrase}
              onChange={(event) => setPassphrase(event.target.value)}
            />
          )}
        </Field>
      )}
      {identity.field}
    </SubmitDialog>
  );
}

const isRestorable = (preview: RestorePreview | undefined): boolean =>
  preview?.restorable === true && preview.purgesSince === 0;

const countText = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

function Consequences({ preview }: { preview: RestorePreview }) {
  const { lostEvents, madeAt, passwordsChanged, keptRevocations, purgesSince, restorable } = preview;
  if (!restorable) {
    return (
      <Alert tone="warning">
        This installation cannot be restored from the page. Use <code>npm run restore</code>, as the help describes.
      </Alert>
    );
  }
  if (purgesSince > 0) {
    return (
      <Alert tone="error">
        {countText(purgesSince, 'purge has', 'purges have')} permanently deleted data that this backup contains. Choose
        a later backup. The script <code>npm run restore</code> can bring these data back on request.
      </Alert>
    );
  }
  return (
    <Alert tone="warning" title={`${countText(lostEvents, 'event', 'events')} will be lost`}>
      <ul className="list-disc pl-4">
        <li>
          Everything after {format(madeAt, 'd MMM yyyy, HH:mm')} will be undone, including changes that users make until
          the product restarts. A backup of the replaced data will be made first.
        </li>
        {passwordsChanged > 0 && (
          <li>
            {countText(passwordsChanged, 'user has', 'users have')} changed their password since the backup: the earlier
            password will be valid again.
          </li>
        )}
        <li>
          API keys stay revoked, users stay deactivated or erased, and legal holds stay in place
          {keptRevocations > 0 ? ` (${formatNumber(keptRevocations)} since the backup)` : ''}.
        </li>
      </ul>
    </Alert>
  );
}

const POLL_MS = 1_000;

/**
 * Shows the progress of a restore. After the restart of the server, the page reloads its data. The session is then
 * invalid, so the sign-in page opens.
 */
export function RestoreProgress({ restore: { fileName, progress } }: { restore: RunningRestore }) {
  const queries = useQueryClient();
  const [hasStopped, setStopped] = useState(false);
  useEffect(() => {
    const timer = setInterval(async () => {
      const isReady = await isServing();
      if (!isReady) setStopped(true);
      else if (hasStopped) void queries.invalidateQueries();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [queries, hasStopped]);
  if (!hasStopped) {
    return (
      <Alert tone="warning" title={`A restore of ${fileName} is being prepared`} className="mb-3">
        Users can work until the restore is ready, but changes from now on are undone too. Then the product restarts.
        <Progress label="Restore" value={progress} />
      </Alert>
    );
  }
  return (
    <Dialog
      open
      title="The data are being restored"
      description={`From ${fileName}. The sign-in page opens as soon as the data are ready.`}
    >
      <div role="status" aria-label="Restoring" className="h-1.5 animate-pulse rounded-full bg-accent" />
    </Dialog>
  );
}
