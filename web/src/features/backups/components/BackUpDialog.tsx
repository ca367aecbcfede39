/** Starts a backup, which is encrypted if the user enters a passphrase. */
import { PASSPHRASE_MIN, PASSPHRASE_TOO_SHORT } from '@rdm/contracts/admin/backups';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { reloadBackups, requestBackup } from '../api/backups.ts';

export function BackUpDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [passphrase, setPassphrase] = useState('');
  const [repeatedPassphrase, setRepeatedPassphrase] = useState('');

  return (
    <SubmitDialog
      title="Back up now"
      description="All users can continue to work. The file is verified when it is complete."
      submit="Back up"
      onClose={onClose}
      onSubmit={async () => {
        if (passphrase !== '' && passphrase.length < PASSPHRASE_MIN) throw new Error(PASSPHRASE_TOO_SHORT);
        if (passphrase !== repeatedPassphrase) throw new Error('The two passphrases differ');
        await requestBackup(passphrase);
        notify.success('Backup started');
        await reloadBackups(queries);
      }}
    >
      <Field
        label="Passphrase (optional)"
        hint="Encrypts the file. The passphrase is not stored, and the backup cannot be read without it. At least 12 characters."
      >
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="new-password"
            value={passphrase}
            onChange={(event) => setPassphrase(event.target.value)}
          />
        )}
      </Field>
      {passphrase !== '' && (
        <Field label="Passphrase again" required>
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              value={repeatedPassphrase}
              onChange={(event) => setRepeatedPassphrase(event.target.value)}
            />
          )}
        </Field>
      )}
    </SubmitDialog>
  );
}
