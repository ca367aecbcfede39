/** Downloads a backup that is not encrypted: whoever holds the file can read everything, so the password is required again. */
import type { BackupView } from '@rdm/contracts/admin/backups';
import { useState } from 'react';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { requestDownload } from '../api/backups.ts';

export function DownloadDialog({ backup, onClose }: { backup: BackupView; onClose: () => void }) {
  const [password, setPassword] = useState('');

  return (
    <SubmitDialog
      title="Download this backup"
      description="This file is not encrypted: it contains all data and users. Keep it where only administrators can read it."
      submit="Download"
      onClose={onClose}
      onSubmit={async () => window.location.assign(await requestDownload(backup.id, password))}
    >
      <p className="break-all font-mono text-xs">{backup.fileName}</p>
      <Field label="Your password" required>
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
    </SubmitDialog>
  );
}
