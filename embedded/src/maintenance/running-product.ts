/** Requests a backup from the running product, which alone may read its stores then. */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Backup } from '@rdm/contracts';
import type { Secrets } from '../launcher/secrets.ts';
import { MaintenanceError } from './errors.ts';

const POLL_MS = 500;
/** A maintenance process that restarts answers within this. */
const PATIENCE_MS = 60_000;

export interface RunningBackupOptions {
  dataDir: string;
  /** Where the product writes its backups. */
  backupDir: string;
  /** Receives a copy of the file. */
  folder: string;
  passphrase: string | undefined;
  signal: AbortSignal;
}

/** Returns the file in the given folder and what the product recorded of it. */
export async function requestBackupOfRunningProduct(
  options: RunningBackupOptions,
): Promise<{ path: string; backup: Backup }> {
  const { dataDir, backupDir, folder, passphrase, signal } = options;
  const { serviceSecret } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Secrets;
  const ports = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as Record<string, number>;
  const headers = { 'X-Service-Secret': serviceSecret, 'Content-Type': 'application/json' };
  const call = async <Answer>(service: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${ports[service]}${path}`, {
      ...init,
      headers: { ...headers, 'Idempotency-Key': randomUUID() },
      signal,
    });
    const body = (await answer.json()) as Answer & { error?: string };
    if (!answer.ok) throw new MaintenanceError('MAINTENANCE_RUNNING', `The running product refused: ${body.error}`);
    return body;
  };

  const { jobId } = await call<{ jobId: number }>('command-api', '/internal/backups', {
    method: 'POST',
    body: JSON.stringify({ trigger: 'MANUAL', ...(passphrase !== undefined && { passphrase }) }),
  });
  console.log(`The running product makes backup ${jobId}`);
  for (let since = Date.now(); ; ) {
    await pause(POLL_MS, undefined, { signal });
    const backup = await call<Backup>('maintenance', `/internal/backups/${jobId}`).catch((error: unknown) => {
      if (signal.aborted || error instanceof MaintenanceError) throw error;
      return undefined;
    });
    if (backup === undefined) {
      if (Date.now() - since < PATIENCE_MS) continue;
      const message = `The maintenance process does not answer. Its log is in ${join(dataDir, 'logs')}.`;
      throw new MaintenanceError('MAINTENANCE_RUNNING', message);
    }
    since = Date.now();
    if (backup.status === 'FAILED') throw new MaintenanceError('MAINTENANCE_RUNNING', backup.problem ?? 'It failed.');
    if (backup.file !== null && backup.isChecked) {
      return { path: await copySynced(join(backupDir, backup.file.fileName), folder, backup.file.fileName), backup };
    }
  }
}

async function copySynced(from: string, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  if (path === from) return path;
  await copyFile(from, `${path}.part`);
  const file = await open(`${path}.part`, 'r+');
  await file.sync();
  await file.close();
  await rename(`${path}.part`, path);
  return path;
}
