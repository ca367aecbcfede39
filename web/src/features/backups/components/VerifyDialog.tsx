/** Starts the verification of a backup. */
import type { BackupView } from '@rdm/contracts/admin/backups';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { reloadBackups, verifyBackup } from '../api/backups.ts';

export function VerifyDialog({ backup, onClose }: { backup: BackupView; onClose: () => void }) {
  const queries = useQueryClient();
  const [passphrase, setPassphrase] = useState('');
  const [byRestore, setByRestore] = useState(false);

  return (
    <SubmitDialog
      title="Verify this backup"
      description="Reads the whole file and verifies the checksum of each part, the hash chain of the events and the signature."
      submit="Verify"
      onClose={onClose}
      onSubmit={async () => {
        // Reloads after a refusal too: the refusal can result from a verification that the list does not show yet.
        await verifyBackup(backup.id, byRestore ? 'restore' : 'checksums', passphrase).finally(() =>
          reloadBackups(queries),
        );
        notify.success('Verification started');
      }}
    >
      <p className="break-all font-mono text-xs">{backup.fileName}</p>
      <Switch label="Also restore a copy and compare it" checked={byRestore} onCheckedChange={setByRestore} />
      {byRestore && (
        <p className="text-muted text-sm">
          The copy is restored beside the running product. Its read models are built and compared with those of the time
          of the backup. Then the copy is deleted. This takes minutes and needs twice the uncompressed size on the disk.
        </p>
      )}
      {backup.encrypted === true && (
        <Field
          label="Passphrase"
          hint="Leave the field empty if the passphrase of the file is configured on the server."
        >
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
    </SubmitDialog>
  );
}
