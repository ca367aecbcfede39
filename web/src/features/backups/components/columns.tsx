/** Columns of the list of backups. */
import type { BackupView } from '@rdm/contracts/admin/backups';
import { columnsOf, muted, NONE } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { bytes } from '../../../lib/bytes.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { BackupState, stateText } from './BackupState.tsx';

const { custom, time, text, code, number } = columnsOf<BackupView>();

const TRIGGER_WORDS: Record<BackupView['trigger'], string> = {
  MANUAL: 'Manual',
  SCHEDULE: 'Schedule',
  UPLOAD: 'Uploaded',
  RESTORE: 'Before a restore',
};

export const COLUMNS = [
  time('createdAt', { header: 'Created', width: 110, required: true }),
  custom('status', {
    header: 'State',
    value: stateText,
    minWidth: 140,
    wrap: true,
    cell: (backup) =>
      backup.status === 'RUNNING' ? (
        <Progress label={`Backup ${backup.id}`} value={backup.progress} />
      ) : (
        <BackupState backup={backup} />
      ),
  }),
  custom('verifiedAt', {
    header: 'Verified',
    value: ({ verifiedAt }) => verifiedAt,
    width: 160,
    cell: ({ verifiedAt, verifiedLevel, verifying }) => {
      if (verifying) return muted('Verifying…');
      if (verifiedAt === null) return NONE;
      return (
        <>
          <RelativeTime at={verifiedAt} /> {muted(verifiedLevel === 'restore' ? 'by a restore' : 'by checksums')}
        </>
      );
    },
  }),
  custom('bytes', {
    header: 'Size',
    numeric: true,
    value: ({ bytes: size }) => size,
    width: 72,
    cell: ({ bytes: size }) => (size === null ? NONE : bytes(size)),
  }),
  custom('events', {
    header: 'Events',
    numeric: true,
    value: ({ events }) => events,
    width: 72,
    cell: ({ events }) => (events === null ? NONE : formatNumber(events)),
  }),
  custom('marks', {
    header: 'Marks',
    width: 72,
    value: ({ encrypted, pinned }) => [encrypted && 'encrypted', pinned && 'kept'].filter(Boolean).join(', '),
    cell: ({ encrypted, pinned }) => (
      <span className="flex gap-1">
        {encrypted === true && <Badge>Encrypted</Badge>}
        {pinned && <Badge tone="accent">Kept</Badge>}
      </span>
    ),
  }),
  time('expiresAt', { header: 'Kept until', width: 132 }),
  custom('trigger', {
    header: 'Origin',
    value: ({ trigger }) => TRIGGER_WORDS[trigger],
    width: 110,
    cell: ({ trigger, requestedBy }) => (
      <span title={requestedBy ?? undefined}>
        {requestedBy !== null && trigger === 'MANUAL' ? `By ${requestedBy}` : TRIGGER_WORDS[trigger]}
      </span>
    ),
  }),
  text('fileName', { header: 'File', minWidth: 310 }),
  code('chainHash', { header: 'Chain head', hidden: true, minWidth: 200 }),
  number('seq', { header: 'Last event', hidden: true, width: 100 }),
  code('position', { header: 'Position', hidden: true, width: 120 }),
  code('sha256', { header: 'SHA-256', hidden: true, minWidth: 200 }),
];
