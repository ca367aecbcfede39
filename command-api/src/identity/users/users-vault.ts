/** Reads and changes the rows of users in the vault: profiles, e-mail addresses, revisions and mailed links. */
import { type ChangeUser, PROFILE_FIELDS, type ProductEvent, Refusal, streams, type UserEvent } from '@rdm/contracts';
import { type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { CommandMeta } from '../../runtime/execution.ts';
import { outboxFact, putInOutbox } from '../../runtime/outbox.ts';
import { requireDistinct } from './look-alikes.ts';

export interface UserRow {
  id: number;
  username: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
  phone_number: string | null;
  department: string | null;
  job_title: string | null;
  auth_provider: string;
  email_proved_at: Date | null;
  require_password_change: boolean;
  failed_login_attempts: number;
  lockouts: number;
  locked_until: Date | null;
  erased_at: Date | null;
  revision: number;
  revised_by: string | null;
}

let queue: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` in a transaction that locks a user's row: nothing erases the user meanwhile, and an error leaves the row
 * unchanged. Calls run one after another, because an append in `work` needs a second connection: concurrent calls could
 * hold all connections.
 */
export function withLockedUser<T>(
  pool: Pool,
  id: number,
  work: (client: Client, person: UserRow) => Promise<T>,
): Promise<T> {
  const result = queue.then(() =>
    transaction(pool, async (client) => {
      const { rows } = await client.query<UserRow>('SELECT * FROM identity.users WHERE id = $1 FOR UPDATE', [id]);
      if (!rows[0]) throw new Refusal('NOT_FOUND', 'There is no such user');
      return work(client, rows[0]);
    }),
  );
  queue = result.catch(() => undefined);
  return result;
}

export function requireNotErased(person: UserRow): void {
  if (person.erased_at) throw new Refusal('DELETED', 'This user was erased and cannot be changed');
}

/** Writes a fact about a user to the outbox, in the transaction of the change. */
export const recordFact = (db: Queryable, meta: CommandMeta, event: UserEvent): Promise<void> =>
  putInOutbox(db, outboxFact(meta, streams.user(event.data.userId), event as ProductEvent, new Date()));

const COLUMN_OF = {
  username: 'username',
  email: 'email',
  firstName: 'first_name',
  lastName: 'last_name',
  displayName: 'display_name',
  phoneNumber: 'phone_number',
  department: 'department',
  jobTitle: 'job_title',
} as const satisfies Record<'username' | 'email' | (typeof PROFILE_FIELDS)[number], keyof UserRow>;
type Field = keyof typeof COLUMN_OF;
const FIELDS: readonly Field[] = ['username', 'email', ...PROFILE_FIELDS];

/** Changes the username, the address and the profile of a user; returns the fields whose values changed. */
export async function changeProfile(db: Queryable, person: UserRow, changes: ChangeUser): Promise<Field[]> {
  // Empty optional fields are stored as null.
  const newValue = (field: Field) => changes[field] || null;
  const changed = FIELDS.filter(
    (field) => changes[field] !== undefined && newValue(field) !== person[COLUMN_OF[field]],
  );
  if (changed.length === 0) return [];
  await requireUnused(db, person.id, changes);
  const assignments = changed.map((field, index) => `${COLUMN_OF[field]} = $${index + 2}`).join(', ');
  try {
    await db.query(`UPDATE identity.users SET ${assignments} WHERE id = $1`, [person.id, ...changed.map(newValue)]);
  } catch (error) {
    throw isUniqueViolation(error)
      ? nameTakenRefusal((error as { constraint?: string }).constraint === 'users_username')
      : error;
  }
  if (changed.includes('email')) await clearEmailProof(db, person.id);
  return changed;
}

/** Removes the address of a user, its proof, and the unused links that were mailed to the user. */
export async function releaseEmail(db: Queryable, { id }: UserRow): Promise<void> {
  await db.query(`UPDATE identity.users SET email = '' WHERE id = $1`, [id]);
  await clearEmailProof(db, id);
}

/** Deletes the proof of the user's former address, and the unused links that were mailed to the user. */
async function clearEmailProof(db: Queryable, id: number): Promise<void> {
  await db.query('UPDATE identity.users SET email_proved_at = NULL WHERE id = $1', [id]);
  await deleteLinks(db, id);
}

/**
 * Throws if the username or address is taken, or if the username looks like a taken or reserved username. Without this
 * check, a unique violation would write personal data to the database's log.
 */
async function requireUnused(db: Queryable, id: number, { username, email }: ChangeUser): Promise<void> {
  const { rows } = await db.query<{ is_username: boolean }>(
    `SELECT coalesce(lower(username) = lower($2), false) AS is_username FROM identity.users
      WHERE id <> $1 AND erased_at IS NULL AND (lower(username) = lower($2) OR lower(email) = lower($3))`,
    [id, username ?? null, email ?? null],
  );
  if (rows.length > 0) throw nameTakenRefusal(rows.some((row) => row.is_username));
  if (username !== undefined) await requireDistinct(db, id, username);
}

const UNIQUE_VIOLATION = '23505';
const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown }).code === UNIQUE_VIOLATION;
const nameTakenRefusal = (isUsername: boolean) =>
  new Refusal('NAME_TAKEN', `This ${isUsername ? 'username' : 'e-mail address'} is taken`);

/** Increments a user's revision after a change by a command or sign-in; returns the new revision. */
export async function incrementRevision(db: Queryable, person: UserRow, commandId: string): Promise<number> {
  const revision = person.revision + 1;
  await db.query('UPDATE identity.users SET revision = $2, revised_by = $3, updated_at = now() WHERE id = $1', [
    person.id,
    revision,
    commandId,
  ]);
  return revision;
}

/** Deletes the unused links that were mailed to a user. */
export async function deleteLinks(db: Queryable, userId: number): Promise<void> {
  await db.query('DELETE FROM identity.reset_tokens WHERE user_id = $1 AND used_at IS NULL', [userId]);
}

/** Whether the vault has failed sign-ins or locks of the user, including locks that have ended. */
export async function hasFailures(db: Queryable, person: UserRow): Promise<boolean> {
  if (person.locked_until !== null || person.failed_login_attempts > 0 || person.lockouts > 0) return true;
  const { rowCount } = await db.query('SELECT FROM identity.sign_in_locks WHERE user_id = $1 LIMIT 1', [person.id]);
  return rowCount !== 0;
}

/** Returns a function that checks whether a user has the means to sign in: a password or a provider account. */
export async function loadCanSignIn(db: Queryable): Promise<(userId: number) => boolean> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM identity.users WHERE (password_hash IS NOT NULL OR okta_id IS NOT NULL) AND erased_at IS NULL',
  );
  const ids = new Set(rows.map(({ id }) => id));
  return (userId) => ids.has(userId);
}
