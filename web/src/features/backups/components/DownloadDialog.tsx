/**
 * Downloads a backup that is not encrypted. Users must prove their identity first, because anyone with the file can
 * read all data.
 */
import type { BackupView } from '@rdm/contracts/admin/backups';
import { useIdentityProof } from '../../../components/identity-proof/index.tsx';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { requestDownload } from '../api/backups.ts';

export function DownloadDialog({ backup, onClose }: { backup: BackupView; onClose: () => void }) {
  const identity = useIdentityProof();

  return (
    <SubmitDialog
      title="Download this backup"
      description="This file is not encrypted: it contains all data and users. Keep it where only administrators can read it."
      submit="Download"
      disabled={!identity.isGiven}
      onClose={onClose}
      onSubmit={async () => window.location.assign(await requestDownload(backup.id, identity.take()))}
    >
      <p className="break-all font-mono text-xs">{backup.fileName}</p>
      {identity.field}
    </SubmitDialog>
  );
}
