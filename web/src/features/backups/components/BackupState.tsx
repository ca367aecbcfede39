/** The state of a backup, as an icon and a text. */
import type { BackupView } from '@rdm/contracts/admin/backups';
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react';

export function stateText({ status, verifiedAt, verifying, problem }: BackupView): string {
  switch (status) {
    case 'RUNNING':
      return 'Running';
    case 'FAILED':
      return `Failed: ${problem ?? ''}`;
    case 'DAMAGED':
      return `Damaged: ${problem ?? ''}`;
    case 'DONE': {
      const word = verifiedAt !== null ? 'Intact' : 'Not verified';
      return problem === null || verifying ? word : `${word}. The last verification failed: ${problem}`;
    }
  }
}

export function BackupState({ backup }: { backup: BackupView }) {
  const isIntact = backup.status === 'DONE' && backup.verifiedAt !== null;
  const isUnusable = backup.status === 'FAILED' || backup.status === 'DAMAGED';
  const Icon = isIntact ? CircleCheck : isUnusable ? CircleX : CircleAlert;
  return (
    <span className={isUnusable ? 'text-danger-text' : undefined}>
      <Icon aria-hidden="true" className="mr-1.5 inline size-4 align-[-3px]" />
      {stateText(backup)}
    </span>
  );
}
