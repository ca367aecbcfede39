/** Queries and commands for backups. */

import type { IdentityProof } from '@rdm/contracts/access/identity-proof';
import type { BackupSchedule } from '@rdm/contracts/admin/backup-schedule';
import {
  type BackupDownload,
  type BackupScheduleView,
  type BackupsView,
  PASSPHRASE_HEADER,
  type RestorePreview,
  type VerificationLevel,
} from '@rdm/contracts/admin/backups';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

const PATH = '/api/backups';
/** Backups have no live updates, so the page polls them: faster while `isWorking`. */
const REFRESH_MS = 10_000;
const WORKING_REFRESH_MS = 1_000;

export const backupsKey = ['backups'] as const;

/** Whether a backup is made or verified, or waits for its verification, or a restore runs. */
export const isWorking = ({ items, restoring }: BackupsView): boolean =>
  restoring !== null ||
  items.some(
    ({ status, verifying, verifiedAt, problem }) => status === 'RUNNING' || verifying || !(verifiedAt ?? problem),
  );

export const backupsQuery = queryOptions({
  queryKey: [...backupsKey, 'list'],
  queryFn: () => read<BackupsView>(PATH),
  refetchInterval: ({ state }) => (state.data && isWorking(state.data) ? WORKING_REFRESH_MS : REFRESH_MS),
});

export const scheduleQuery = queryOptions({
  queryKey: [...backupsKey, 'schedule'],
  queryFn: () => read<BackupScheduleView>(`${PATH}/schedule`),
  refetchInterval: REFRESH_MS,
});

export const reloadBackups = (queries: QueryClient) => queries.invalidateQueries({ queryKey: backupsKey });

const withPassphrase = (passphrase: string) => (passphrase === '' ? {} : { passphrase });

export const requestBackup = (passphrase: string) => write<{ jobId: number }>('POST', PATH, withPassphrase(passphrase));

/** Sends the file as the request body; the passphrase of an encrypted file is sent in a header. */
export const uploadBackup = (file: Blob, passphrase: string) =>
  write('POST', `${PATH}/upload`, file, {
    headers: passphrase === '' ? {} : { [PASSPHRASE_HEADER]: encodeURIComponent(passphrase) },
  });

export const verifyBackup = (id: number, level: VerificationLevel, passphrase: string) =>
  write<{ jobId: number }>('POST', `${PATH}/${id}/verify`, { level, ...withPassphrase(passphrase) });

export const pinBackup = (id: number, pinned: boolean) => write('PATCH', `${PATH}/${id}`, { pinned });

export const deleteBackup = (id: number) => write('DELETE', `${PATH}/${id}`);

export const saveSchedule = (schedule: BackupSchedule) => write('PUT', `${PATH}/schedule`, schedule);

/** The address of a file. An encrypted file can be downloaded without a proof of identity. */
export const downloadAddress = (id: number) => `${PATH}/${id}`;

export const requestDownload = async (id: number, proof: IdentityProof): Promise<string> =>
  (await write<BackupDownload>('POST', `${PATH}/${id}/download`, proof)).url;

/** The preview of a restore. Each dialog reads it again, because other users change data meanwhile. */
export const restorePreviewQuery = (id: number) =>
  queryOptions({
    queryKey: [...backupsKey, 'restore-preview', id],
    queryFn: () => read<RestorePreview>(`${PATH}/${id}/restore-preview`),
    staleTime: 0,
  });

export interface RestoreRequest extends IdentityProof {
  /** The file name of the backup, which the user types to confirm the restore. */
  name: string;
  passphrase: string;
  requireNewPasswords: boolean;
}

export const restoreBackup = (id: number, { passphrase, ...request }: RestoreRequest) =>
  write('POST', `${PATH}/${id}/restore`, { ...request, ...withPassphrase(passphrase) });

/** Whether the server is ready. It responds with 503 during a restore, and does not respond while it restarts. */
export async function isServing(): Promise<boolean> {
  try {
    return (await fetch('/health/ready', { cache: 'no-store' })).ok;
  } catch {
    return false; // the server restarts
  }
}
