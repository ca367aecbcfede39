/** Sentences about the last backup, the last restore and the schedule, and warnings. */
import type { BackupScheduleView, BackupsView } from '@rdm/contracts/admin/backups';
import { format, formatDistanceToNow } from 'date-fns';
import { bytes } from '../../../lib/bytes.ts';

const formatTime = (at: string): string => format(at, 'd MMM yyyy, HH:mm');

/** “Last backup about 3 hours ago (27 Nov 2026, 14:05), 212 MiB, verified.” */
export function lastBackupText({ items }: BackupsView): string {
  const last = items.find(({ status }) => status === 'DONE');
  if (!last) return 'There is no backup yet.';
  const at = `${formatDistanceToNow(last.createdAt, { addSuffix: true })} (${formatTime(last.createdAt)})`;
  return `Last backup ${at}, ${bytes(last.bytes ?? 0)}, ${last.verifiedAt === null ? 'not verified' : 'verified'}.`;
}

/** “Restored on 27 Nov 2026, 14:05 from rdm-….tar.gz.” Empty without a restore, or if the last restore failed. */
export function lastRestoreText({ lastRestore }: BackupsView): string {
  if (lastRestore === null || lastRestore.problem !== null) return '';
  return `Restored on ${formatTime(lastRestore.at)} from ${lastRestore.fileName}.`;
}

/** “Next: 27 Nov 2026, 02:00 (daily at 02:00 Europe/Berlin).” */
export function nextBackupText({ enabled, every, at, zone, nextAt }: BackupScheduleView): string {
  if (!enabled) return 'No schedule: backups are made only by hand.';
  const rule = `${every === 'DAY' ? 'daily' : 'weekly'} at ${at} ${zone}`;
  return nextAt === null ? `Schedule: ${rule}.` : `Next: ${formatTime(nextAt)} (${rule}).`;
}

export function warnings(backups: BackupsView): string[] {
  const messages: string[] = [];
  if (backups.folder === null) messages.push('The maintenance process does not respond, so no backup can be made now.');
  if (backups.onDiskOfData === true) {
    messages.push(
      `The backups are on the same disk as the data (${backups.folder}): if that disk fails, both are lost. Set BACKUP_DIR to a folder on another disk, or download the backups.`,
    );
  }
  const { lastRestore } = backups;
  if (lastRestore?.problem) {
    messages.push(
      `The restore of ${lastRestore.fileName} (${formatTime(lastRestore.at)}) changed nothing: ${lastRestore.problem}`,
    );
  }
  if (backups.overdue) messages.push('No backup has succeeded for two intervals of the schedule.');
  return messages;
}
