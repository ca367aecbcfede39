/** Reports outcomes of backups, verifications and purges, and scheduled backups, to command-api, which appends the events. */
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

export interface CommandApi {
  /** May be repeated: an outcome is recorded once. */
  recordOutcome(outcome: Outcome): Promise<void>;
  /** `key` makes it safe to repeat. Does nothing while another backup runs. */
  startScheduled(key: string): Promise<void>;
  /** Requests the verification of a backup by a restore. Does nothing while it is being verified. */
  startRestoreCheck(backupId: number): Promise<void>;
  /** May be repeated: it is recorded once. */
  reportOverdue(since: Date): Promise<void>;
  /** May be repeated. */
  expire(backupId: number): Promise<void>;
  /** May be repeated: a part, a seal and an outcome are recorded once. Does nothing for a purge that was cancelled. */
  recordPurge(outcome: PurgeOutcome): Promise<void>;
  /** May be repeated. */
  registerPurge(registration: PurgeRegistration): Promise<void>;
}

const CONFLICT = 409;

export function connectCommandApi({
  COMMAND_API_URL: urls = [],
  SERVICE_SECRET: secret,
}: Pick<Settings, 'COMMAND_API_URL' | 'SERVICE_SECRET'>): CommandApi {
  /** Tries each instance. Throws if none takes the request, for a later retry. */
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
    // These commands are not stored under their key: the rules of purges recognise a repeated report.
    recordPurge: (outcome) => post('/internal/purges/outcomes', randomUUID(), outcome),
    registerPurge: (registration) => post('/internal/purges/registrations', randomUUID(), registration),
    expire: (backupId) => post('/internal/backups/expire', `expire-backup-${backupId}`, { backupId }),
  };
}

/** One key for each outcome that can happen once. */
const keyOf = ({ type, data }: Outcome): string =>
  `${type}-${data.backupId}${type === 'BackupVerified' ? `-${data.verificationId ?? 'first'}` : ''}`;
