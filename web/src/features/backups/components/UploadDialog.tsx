/** Uploads the file of an earlier backup of this installation, such as a downloaded file. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFileInput } from '../../../components/file-input/index.tsx';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { reloadBackups, uploadBackup } from '../api/backups.ts';

export function UploadDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState('');
  const { choose, dropArea, isOver, input } = useFileInput({
    label: 'File of a backup',
    accept: '.gz,.age',
    onFile: setFile,
  });
  const isEncrypted = file?.name.endsWith('.age') === true;
  const isBackup = file !== undefined && /\.tar\.gz(\.age)?$/.test(file.name);

  return (
    <SubmitDialog
      title="Upload a backup"
      description="The file is verified first. Only backups of this installation are accepted. Restore other backups with npm run restore."
      submit="Upload"
      disabled={!isBackup || (isEncrypted && passphrase === '')}
      onClose={onClose}
      onSubmit={async () => {
        if (file === undefined) return;
        await uploadBackup(file, passphrase);
        notify.success('Backup uploaded', { description: 'It is intact, and can be restored from its menu.' });
        await reloadBackups(queries);
      }}
    >
      <div
        {...dropArea}
        className={`flex flex-wrap items-center gap-3 rounded-md border border-dashed px-3 py-4 ${isOver ? 'border-accent' : 'border-hairline'}`}
      >
        {input}
        <Button onClick={choose}>Choose a file</Button>
        <span className="min-w-0 break-all text-muted text-sm">{file?.name ?? 'or drop it here'}</span>
      </div>
      {file !== undefined && !isBackup && (
        <Alert tone="error">
          {file.name} is not the file of a backup: its name must end in .tar.gz or .tar.gz.age. Choose another file.
        </Alert>
      )}
      {isBackup && isEncrypted && (
        <Field label="Passphrase of the file" required>
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
