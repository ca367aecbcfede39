/** The page of database backups: the existing backups with their state, the schedule, and restores. */
import type { BackupView } from '@rdm/contracts/admin/backups';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  CalendarClock,
  DatabaseBackup,
  Download,
  History,
  Pin,
  PinOff,
  ShieldCheck,
  Trash2,
  Upload,
} from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { DataGrid, type RowAction, useLocalPaging } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import {
  backupsQuery,
  deleteBackup,
  downloadAddress,
  pinBackup,
  reloadBackups,
  scheduleQuery,
} from '../api/backups.ts';
import { BackUpDialog } from '../components/BackUpDialog.tsx';
import { COLUMNS } from '../components/columns.tsx';
import { DownloadDialog } from '../components/DownloadDialog.tsx';
import { RestoreDialog, RestoreProgress } from '../components/RestoreDialog.tsx';
import { ScheduleDialog } from '../components/ScheduleDialog.tsx';
import { lastBackupText, lastRestoreText, nextBackupText, warnings } from '../components/summary.ts';
import { UploadDialog } from '../components/UploadDialog.tsx';
import { VerifyDialog } from '../components/VerifyDialog.tsx';

const backupId = ({ id }: BackupView) => id;

type Step = 'verify' | 'download' | 'restore' | 'delete';

export default function Backups() {
  const queries = useQueryClient();
  const state = useListState({ sort: 'createdAt', order: 'DESC' });
  const backups = useQuery(backupsQuery);
  const schedule = useQuery(scheduleQuery);
  const result = useLocalPaging({ ...backups, data: backups.data?.items }, state.params);
  const [isStarting, setStarting] = useQueryState('new', parseAsBoolean.withDefault(false));
  const [isScheduling, setScheduling] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const [dialog, setDialog] = useState<{ backup: BackupView; step: Step }>();

  async function togglePin({ id, pinned }: BackupView) {
    try {
      await pinBackup(id, !pinned);
      notify.success(
        pinned
          ? 'Backup no longer marked to keep: scheduled backups can be deleted automatically'
          : 'Backup marked to keep: it is never deleted automatically',
      );
      await reloadBackups(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: 'Failed to change the backup' });
    }
  }

  const actionsOf = (backup: BackupView): readonly RowAction<BackupView>[] => {
    const noFileReason = backup.fileName === null ? 'This backup has no file' : undefined;
    return [
      {
        label: 'Download',
        icon: Download,
        unavailable: noFileReason,
        onSelect: () =>
          backup.encrypted
            ? window.location.assign(downloadAddress(backup.id))
            : setDialog({ backup, step: 'download' }),
      },
      {
        label: 'Verify',
        icon: ShieldCheck,
        unavailable: noFileReason ?? (backup.verifying ? 'This backup is being verified' : undefined),
        onSelect: () => setDialog({ backup, step: 'verify' }),
      },
      {
        label: backup.pinned ? 'Do not keep' : 'Keep',
        icon: backup.pinned ? PinOff : Pin,
        unavailable: noFileReason,
        onSelect: () => void togglePin(backup),
      },
      {
        label: 'Restore',
        icon: History,
        unavailable:
          noFileReason ??
          (backup.status === 'DAMAGED' ? 'This backup is damaged' : undefined) ??
          (restoring ? 'A restore is being prepared' : undefined),
        onSelect: () => setDialog({ backup, step: 'restore' }),
      },
      {
        label: 'Delete',
        icon: Trash2,
        destructive: true,
        unavailable: backup.status === 'RUNNING' ? 'This backup is running' : undefined,
        onSelect: () => setDialog({ backup, step: 'delete' }),
      },
    ];
  };

  const restoring = backups.data?.restoring;
  const isRunning = backups.data?.items.some(({ status }) => status === 'RUNNING') === true;
  const backUpButton = (
    <Button variant="primary" disabled={isRunning} onClick={() => void setStarting(true)}>
      <DatabaseBackup />
      {isRunning ? 'Backing up…' : 'Back up now'}
    </Button>
  );
  const close = () => setDialog(undefined);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Database Backup"
        description="The event log, users, keys, jobs and files in one signed file. Read models are rebuilt from the log."
        actions={
          <>
            <Button disabled={schedule.data === undefined} onClick={() => setScheduling(true)}>
              <CalendarClock />
              Schedule
            </Button>
            <Button onClick={() => setUploading(true)}>
              <Upload />
              Upload
            </Button>
            {backUpButton}
          </>
        }
      />
      {backups.data !== undefined && schedule.data !== undefined && (
        <p className="mb-3 break-words" role="status">
          {lastBackupText(backups.data)} {nextBackupText(schedule.data)} {lastRestoreText(backups.data)}
        </p>
      )}
      {backups.data !== undefined &&
        warnings(backups.data).map((warning) => (
          <Alert key={warning} tone="warning" className="mb-3">
            {warning}
          </Alert>
        ))}
      {restoring && <RestoreProgress restore={restoring} />}
      <DataGrid
        label="Backups"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={backupId}
        rowActions={actionsOf}
        searchable={false}
        errorTitle="The backups could not be loaded"
        empty={{
          title: 'No backups yet',
          description:
            'Backups are made while users work, and are verified immediately. A backup that you make is kept until you delete it.',
          action: backUpButton,
        }}
      />
      {isStarting && <BackUpDialog onClose={() => void setStarting(null)} />}
      {isUploading && <UploadDialog onClose={() => setUploading(false)} />}
      {isScheduling && schedule.data !== undefined && (
        <ScheduleDialog schedule={schedule.data} onClose={() => setScheduling(false)} />
      )}
      {dialog?.step === 'verify' && <VerifyDialog backup={dialog.backup} onClose={close} />}
      {dialog?.step === 'download' && <DownloadDialog backup={dialog.backup} onClose={close} />}
      {dialog?.step === 'restore' && <RestoreDialog backup={dialog.backup} onClose={close} />}
      {dialog?.step === 'delete' && <DeleteDialog backup={dialog.backup} onClose={close} />}
    </div>
  );
}

function DeleteDialog({ backup, onClose }: { backup: BackupView; onClose: () => void }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);

  async function remove() {
    setBusy(true);
    try {
      await deleteBackup(backup.id);
      notify.success('Backup deleted');
      await reloadBackups(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: 'Failed to delete the backup' });
    }
    onClose();
  }

  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={backup.fileName === null ? 'Delete this entry?' : 'Delete this backup?'}
      description={
        backup.fileName === null ? 'The backup failed: it has no file.' : `${backup.fileName} is permanently deleted.`
      }
      confirm="Delete"
      onConfirm={() => void remove()}
      busy={busy}
    />
  );
}
