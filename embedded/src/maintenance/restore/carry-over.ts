/**
 * Carries over facts from the replaced data to the restored data: revoked API keys, deactivated and erased users, legal
 * holds, allocated ids and the list of backups. Users who changed their password after the backup must choose a new
 * one.
 */
import {
  ACCESS_STREAM,
  type AccessEvent,
  type AccessState,
  ADMINISTRATOR_ROLE_ID,
  type Backup,
  type BackupFile,
  emptyAccess,
  evolveAccess,
  type LegalHold,
  type ProductEvent,
  streams,
  VIEWER_ROLE_ID,
} from '@rdm/contracts';
import type { Client, EventStore, Pool } from '@rdm/platform';
import { eraseUser } from '@rdm/platform/identity/erase-user';
import { MaintenanceError } from '../errors.ts';
import { openBackupStream } from '../process/backup-stream.ts';
import { sequenceValues } from './new-database.ts';
import { appendAsSystem, type NewLog } from './new-log.ts';

/** A backup with its file; `madeAt` is its time in `BackupTimes`, as an ISO instant. */
export type ListedBackup = Omit<Backup, 'file'> & { file: BackupFile; madeAt: string };

export interface CarryOver {
  revokedKeys: number[];
  inactiveUsers: number[];
  erasedUsers: number[];
  holds: LegalHold[];
  /**
   * Users who changed their password after the backup. Other people may know the earlier password, which is valid
   * again.
   */
  changedPasswords: number[];
  /** The last value of each sequence of ids. */
  sequences: Map<string, bigint>;
  /** The backups that have a file. */
  backups: ListedBackup[];
}

/** Reads the facts to carry over; `madeAt` is the time of the backup (ISO instant). */
export async function readCarryOver(
  { pool, store }: { pool: Pool; store: EventStore },
  madeAt: string,
): Promise<CarryOver> {
  const keys = await pool.query<{ id: number }>('SELECT id FROM identity.api_keys WHERE revoked_at IS NOT NULL');
  const erased = await pool.query<{ id: number }>('SELECT id FROM identity.users WHERE erased_at IS NOT NULL');
  const changed = await pool.query<{ id: number }>(
    'SELECT DISTINCT user_id AS id FROM identity.password_history WHERE created_at > $1',
    [madeAt],
  );
  const access = emptyAccess();
  for await (const event of store.read(ACCESS_STREAM)) evolveAccess(access, event as AccessEvent);
  return {
    revokedKeys: keys.rows.map(({ id }) => id),
    erasedUsers: erased.rows.map(({ id }) => id),
    changedPasswords: changed.rows.map(({ id }) => id),
    holds: [...access.holds.values()],
    inactiveUsers: [...access.users].filter(([, { active }]) => !active).map(([id]) => id),
    sequences: await sequenceValues(pool),
    backups: await readBackups(store),
  };
}

async function readBackups(store: EventStore): Promise<ListedBackup[]> {
  const stream = openBackupStream(store);
  await stream.read();
  const madeAt = (id: number) => (stream.times.byBackupId.get(id) as Date).toISOString();
  return [...stream.state.backups.values()].flatMap(({ file, ...backup }) =>
    file === null ? [] : [{ ...backup, file, madeAt: madeAt(backup.backupId) }],
  );
}

/** Returns the state of `access-main` in the restored log. */
export async function accessOf(log: NewLog): Promise<AccessState> {
  const access = emptyAccess();
  for (const event of await log.events(ACCESS_STREAM)) evolveAccess(access, event as unknown as AccessEvent);
  return access;
}

/**
 * Applies the facts, except the sequences and the backups, to the restored data. Rejects with RESTORE_NOT_HERE if the
 * changes would leave no active administrator.
 */
export async function applyCarryOver(
  client: Client,
  log: NewLog,
  { revokedKeys, inactiveUsers, erasedUsers, changedPasswords, holds }: CarryOver,
  cause: string,
): Promise<void> {
  const keys = await client.query<{ id: number }>(
    `UPDATE identity.api_keys SET revoked_at = now(), updated_at = now() WHERE id = ANY($1) AND revoked_at IS NULL
     RETURNING id`,
    [revokedKeys],
  );
  for (const { id } of keys.rows) {
    await appendAsSystem(log, streams.apiKey(id), [{ type: 'ApiKeyRevoked', data: { apiKeyId: id } }], cause);
  }
  const required = await client.query<{ id: number }>(
    `UPDATE identity.users SET require_password_change = true
      WHERE id = ANY($1) AND password_hash IS NOT NULL AND NOT require_password_change RETURNING id`,
    [changedPasswords],
  );
  for (const { id: userId } of required.rows) {
    await appendAsSystem(log, streams.user(userId), [{ type: 'PasswordChangeRequired', data: { userId } }], cause);
  }
  const access = await accessOf(log);
  const changes: AccessEvent[] = [];
  const { rows: usersToErase } = await client.query<{ id: number; username: string; email: string }>(
    'SELECT id, username, email FROM identity.users WHERE id = ANY($1) AND erased_at IS NULL ORDER BY id',
    [erasedUsers],
  );
  for (const userId of [...new Set([...inactiveUsers, ...usersToErase.map(({ id }) => id)])].sort((a, b) => a - b)) {
    if (access.users.get(userId)?.active) changes.push({ type: 'UserDeactivated', data: { userId } });
  }
  for (const { id: userId } of usersToErase) {
    const role = access.users.get(userId)?.roleId;
    if (role !== undefined && role !== VIEWER_ROLE_ID) {
      changes.push({ type: 'UserRoleAssigned', data: { userId, roleId: VIEWER_ROLE_ID } });
    }
  }
  for (const change of changes) evolveAccess(access, change);
  requireAdministrator(access, changes);
  for (const hold of holds) {
    if (!access.holds.has(hold.holdId)) changes.push({ type: 'LegalHoldPlaced', data: hold });
  }
  if (changes.length > 0) await appendAsSystem(log, ACCESS_STREAM, changes as ProductEvent[], cause);
  for (const user of usersToErase) {
    await eraseUser(client, user);
    await appendAsSystem(log, streams.user(user.id), [{ type: 'UserErased', data: { userId: user.id } }], cause);
  }
}

function requireAdministrator({ users }: AccessState, changes: readonly AccessEvent[]): void {
  if (changes.length === 0) return;
  if ([...users.values()].some(({ roleId, active }) => active && roleId === ADMINISTRATOR_ROLE_ID)) return;
  const message =
    'All administrators of the backup were deactivated or erased after it was made, so no user could administer the restored data. Reactivate one of them, or choose a later backup.';
  throw new MaintenanceError('RESTORE_NOT_HERE', message);
}
