/** Requests backups and scavenges from the running product, whose stores a script cannot open. */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Backup } from '@rdm/contracts';
import type { Secrets } from '../launcher/secrets.ts';
import { MaintenanceError } from './errors.ts';
import type { ScavengeStatus } from './process/scavenge-work.ts';

const POLL_MS = 500;
/** A maintenance process that is restarting answers within this time. */
const RESTART_TIMEOUT_MS = 60_000;

export interface RunningBackupOptions {
  dataDir: string;
  /** The folder in which the product writes its backups. */
  backupDir: string;
  /** The folder to which the file is copied. */
  folder: string;
  passphrase: string | undefined;
  signal: AbortSignal;
}

type Call = <Answer>(service: string, path: string, init?: RequestInit) => Promise<Answer>;

/** Returns a function that calls an internal route of the running product. */
async function connectTo(dataDir: string, signal: AbortSignal): Promise<Call> {
  const { serviceSecret } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Secrets;
  const ports = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as Record<string, number>;
  const headers = { 'X-Service-Secret': serviceSecret, 'Content-Type': 'application/json' };
  return async <Answer>(service: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${ports[service]}${path}`, {
      signal,
      ...init,
      headers: { ...headers, 'Idempotency-Key': randomUUID() },
    });
    const body = (await answer.json()) as Answer & { error?: string };
    if (!answer.ok) throw new MaintenanceError('MAINTENANCE_RUNNING', `The running product refused: ${body.error}`);
    return body;
  };
}

/** Reads a state until `isFinal` returns true. Waits while the maintenance process restarts. */
async function poll<State>(
  read: () => Promise<State>,
  isFinal: (state: State) => boolean,
  { dataDir, signal }: { dataDir: string; signal: AbortSignal },
): Promise<State> {
  for (let lastAnswerAt = Date.now(); ; ) {
    await pause(POLL_MS, undefined, { signal });
    const state = await read().catch((error: unknown) => {
      if (signal.aborted || error instanceof MaintenanceError) throw error;
      return undefined;
    });
    if (state !== undefined) {
      if (isFinal(state)) return state;
      lastAnswerAt = Date.now();
    } else if (Date.now() - lastAnswerAt >= RESTART_TIMEOUT_MS) {
      const message = `The maintenance process does not answer. Its log is in ${join(dataDir, 'logs')}.`;
      throw new MaintenanceError('MAINTENANCE_RUNNING', message);
    }
  }
}

/** Requests a backup; returns its file in the given folder, and the data that the product recorded for it. */
export async function requestBackupOfRunningProduct(
  options: RunningBackupOptions,
): Promise<{ path: string; backup: Backup }> {
  const { dataDir, backupDir, folder, passphrase, signal } = options;
  const call = await connectTo(dataDir, signal);
  const { jobId } = await call<{ jobId: number }>('command-api', '/internal/backups', {
    method: 'POST',
    body: JSON.stringify({ trigger: 'MANUAL', ...(passphrase !== undefined && { passphrase }) }),
  });
  console.log(`The running product makes backup ${jobId}`);
  const backup = await poll(
    () => call<Backup>('maintenance', `/internal/backups/${jobId}`),
    ({ status, file, isChecked }) => status === 'FAILED' || (file !== null && isChecked),
    options,
  );
  if (backup.status === 'FAILED' || backup.file === null) {
    throw new MaintenanceError('MAINTENANCE_RUNNING', backup.problem ?? 'The backup failed.');
  }
  return { path: await copySynced(join(backupDir, backup.file.fileName), folder, backup.file.fileName), backup };
}

/** Requests a scavenge; returns the number of bytes that it freed. The signal stops the scavenge. */
export async function requestScavengeOfRunningProduct(options: {
  dataDir: string;
  signal: AbortSignal;
}): Promise<number> {
  const call = await connectTo(options.dataDir, options.signal);
  const path = '/internal/scavenge';
  await call('maintenance', path, { method: 'POST', body: '{}' });
  console.log('The running product scavenges its event store');
  try {
    const { state, bytes, problem } = await poll(
      () => call<ScavengeStatus>('maintenance', path),
      ({ state }) => state !== 'RUNNING',
      options,
    );
    if (state === 'DONE') return bytes;
    throw new MaintenanceError(
      problem?.code ?? 'INTERRUPTED',
      problem?.message ?? 'The maintenance process restarted.',
    );
  } catch (error) {
    // This call has no signal, because the aborted signal would abort it too.
    if (options.signal.aborted) await call('maintenance', path, { method: 'DELETE', signal: null });
    throw options.signal.aborted ? options.signal.reason : error;
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
