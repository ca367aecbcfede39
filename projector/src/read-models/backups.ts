/** Read model of backups and of their schedule. */
import {
  BACKUPS_STREAM,
  type Backup,
  type BackupEvent,
  type BackupFile,
  type BackupSchedule,
  type BackupTrigger,
  evolveBackup,
  type VerificationLevel,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Projection } from '../engine/projection.ts';
import { rowDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldInto, foldOne, type Row } from '../tables/folded-table.ts';

interface BackupRow extends Row {
  id: number;
  trigger: BackupTrigger;
  status: Backup['status'];
  file: BackupFile | null;
  problem: string | null;
  is_checked: boolean;
  verified_level: VerificationLevel | null;
  verified_at: string | null;
  pinned: boolean;
  requested_by: number | null;
  completed_at: string | null;
  created_at: string;
  updated_at: string;
}

const backupRows: FoldedTable<BackupRow, BackupEvent> = {
  name: 'backups',
  columns: {
    id: 'bigint',
    trigger: 'text',
    status: 'text',
    file: 'jsonb',
    problem: 'text',
    is_checked: 'boolean',
    verified_level: 'text',
    verified_at: 'timestamptz',
    pinned: 'boolean',
    requested_by: 'bigint',
    completed_at: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  touchedKeys: (event) => (event.type !== 'BackupRestored' && 'backupId' in event.data ? [[event.data.backupId]] : []),
  createsRows: (event) => event.type === 'BackupRequested' || event.type === 'BackupUploaded',
  fold: foldOne((row, event) => {
    const state = evolveBackup(
      row && {
        backupId: row.id,
        trigger: row.trigger,
        status: row.status,
        file: row.file,
        problem: row.problem,
        isChecked: row.is_checked,
        verifiedLevel: row.verified_level,
        pinned: row.pinned,
      },
      event,
    );
    if (state === undefined) return undefined;
    const { occurredAt, actorId } = event.metadata;
    const isIntact =
      event.type === 'BackupUploaded' || (event.type === 'BackupVerified' && event.data.result === 'INTACT');
    const isNewFile = event.type === 'BackupUploaded' || event.type === 'BackupCompleted';
    const madeAt = isNewFile ? event.data.madeAt : undefined;
    return {
      id: state.backupId,
      trigger: state.trigger,
      status: state.status,
      file: state.file,
      problem: state.problem,
      is_checked: state.isChecked,
      verified_level: state.verifiedLevel,
      verified_at: isIntact ? occurredAt : state.verifiedLevel === null ? null : (row?.verified_at ?? null),
      pinned: state.pinned,
      requested_by: row ? row.requested_by : actorId,
      completed_at: isNewFile ? occurredAt : (row?.completed_at ?? null),
      ...rowDates(row, event),
      ...(madeAt !== undefined && { created_at: madeAt }),
    };
  }),
};

interface ScheduleRow extends Row {
  /** Always 1, because the stream has one schedule. */
  id: number;
  schedule: BackupSchedule;
}

const scheduleRows: FoldedTable<ScheduleRow, BackupEvent> = {
  name: 'backup_schedules',
  columns: { id: 'bigint', schedule: 'jsonb', valid_from: 'bigint' },
  key: ['id'],
  versioned: false,
  touchedKeys: (event) => (event.type === 'BackupScheduleChanged' ? [[1]] : []),
  fold: foldOne((row, event) =>
    event.type === 'BackupScheduleChanged' ? { id: 1, schedule: event.data } : (row ?? undefined),
  ),
};

export const backups: Projection = {
  name: 'backups',
  version: 1,
  categories: ['system'],
  tables: [backupRows, scheduleRows],
  async apply(context, events) {
    const ofBackups = (events as NumberedEvent<BackupEvent>[]).filter(({ stream }) => stream === BACKUPS_STREAM);
    await foldInto(context, backupRows, ofBackups);
    await foldInto(context, scheduleRows, ofBackups);
    return new Map();
  },
};
