/** Sends the outcomes and requests of the maintenance process to command-api, which appends the events. */
import { randomUUID } from 'node:crypto';
import type { BackupEvent, PurgeEvent } from '@rdm/contracts';
import type { Settings } from '@rdm/platform';

const DEADLINE_MS = 30_000;

export type Outcome = Extract<BackupEvent, { type: 'BackupCompleted' | 'BackupFailed' | 'BackupVerified' }>;

export type PurgeOutcome = Extract<
  PurgeEvent,
  {
    type: 'PurgeManifestPart' | 'PurgeManifestSealed' | 'PurgeReclaiming' | 'PurgeFailed' | 'PurgeCompleted';
  }
>;
export type PurgeRegistration = Extract<PurgeEvent, { type: 'PurgeRegistered' }>['data'];

/** A call also resolves if command-api answers 409, for example to a report about a cancelled purge. */
export interface CommandApi {
  /** Reports an outcome. The call may be repeated, because an outcome is recorded only once. */
  recordOutcome(outcome: Outcome): Promise<void>;
  /** Starts a scheduled backup, unless a backup is running. The call may be repeated with the same `key`. */
  startScheduled(key: string): Promise<void>;
  /** Requests the verification of a backup by a restore. Does nothing while the backup is being verified. */
  startRestoreCheck(backupId: number): Promise<void>;
  /** Reports that backups are overdue. The call may be repeated, because each `since` is recorded only once. */
  reportOverdue(since: Date): Promise<void>;
  /** Deletes a backup outside the retention. The call may be repeated. */
  expire(backupId: number): Promise<void>;
  /**
   * Reports the progress of a purge: a part or the seal of its manifest, unfreed space, a failure, or the end. The call
   * may be repeated, because each report is recorded only once.
   */
  recordPurge(outcome: PurgeOutcome): Promise<void>;
  /** Registers a purge. The call may be repeated. */
  registerPurge(registration: PurgeRegistration): Promise<void>;
}

const CONFLICT = 409;

export function connectCommandApi({
  COMMAND_API_URL: urls = [],
  SERVICE_SECRET: secret,
}: Pick<Settings, 'COMMAND_API_URL' | 'SERVICE_SECRET'>): CommandApi {
  /**
   * Tries the instances in order until one accepts the request; a 409 counts as accepted. Throws the last error if no
   * instance accepts the request. The caller tries again later.
   */
  async function post(path: string, key: string, body: unknown): Promise<void> {
    let problem: unknown = new Error('Set COMMAND_API_URL to the address of command-api');
    for (const url of urls) {
      try {
        const answer = await fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Service-Secret': secret, 'Idempotency-Key': key },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(DEADLINE_MS),
        });
        const text = await answer.text();
        if (answer.ok || answer.status === CONFLICT) return;
        problem = new Error(`command-api answered ${answer.status} to ${path}: ${text}`);
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  return {
    recordOutcome: (outcome) => post('/internal/backups/outcomes', keyOf(outcome), outcome),
    startScheduled: (key) => post('/internal/backups', key, { trigger: 'SCHEDULE' }),
    startRestoreCheck: (backupId) => post(`/internal/backups/${backupId}/verify`, randomUUID(), { level: 'restore' }),
    reportOverdue: (since) =>
      post('/internal/backups/overdue', `overdue-${since.toISOString()}`, { since: since.toISOString() }),
    // The key can be random, because command-api recognises repeated reports about purges without the key.
    recordPurge: (outcome) => post('/internal/purges/outcomes', randomUUID(), outcome),
    registerPurge: (registration) => post('/internal/purges/registrations', randomUUID(), registration),
    expire: (backupId) => post('/internal/backups/expire', `expire-backup-${backupId}`, { backupId }),
  };
}

/** Returns the same key for a repeated report of the same outcome. */
const keyOf = ({ type, data }: Outcome): string =>
  `${type}-${data.backupId}${type === 'BackupVerified' ? `-${data.verificationId ?? 'first'}` : ''}`;
