/** People as the vault holds them, for administrators: profiles, locks, sessions, and what erasing somebody leaves. */
import {
  type ChangeUser,
  FORMER_USER,
  PROFILE_FIELDS,
  type ProductEvent,
  Refusal,
  streams,
  type UserEvent,
} from '@rdm/contracts';
import { type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { CommandMeta } from '../../runtime/execution.ts';
import { outboxFact, putInOutbox } from '../../runtime/outbox.ts';
import { requireDistinct } from './look-alikes.ts';

export interface Person {
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

let turn: Promise<unknown> = Promise.resolve();

/**
 * Holds somebody's row while the log decides about them: either both change or neither does, and nobody is erased in
 * between. One at a time, because an append needs a connection of the pool beside the one that holds the row.
 */
export function holdingPerson<T>(
  pool: Pool,
  id: number,
  work: (client: Client, person: Person) => Promise<T>,
): Promise<T> {
  const mine = turn.then(() =>
    transaction(pool, async (client) => {
      const { rows } = await client.query<Person>('SELECT * FROM identity.users WHERE id = $1 FOR UPDATE', [id]);
      if (!rows[0]) throw new Refusal('NOT_FOUND', 'There is no such user');
      return work(client, rows[0]);
    }),
  );
  turn = mine.catch(() => undefined);
  return mine;
}

export function requireNotErased(person: Person): void {
  if (person.erased_at) throw new Refusal('DELETED', 'This user was erased: nothing of them is left to change');
}

/** Tells the log what an administrator did to somebody, in the transaction that did it. */
export const tell = (db: Queryable, meta: CommandMeta, event: UserEvent): Promise<void> =>
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
} as const satisfies Record<'username' | 'email' | (typeof PROFILE_FIELDS)[number], keyof Person>;
type Field = keyof typeof COLUMN_OF;
const FIELDS: readonly Field[] = ['username', 'email', ...PROFILE_FIELDS];

/** Changes what is given of a profile; answers the names of the fields that are other than before. */
export async function changeProfile(db: Queryable, person: Person, given: ChangeUser): Promise<Field[]> {
  // What may be left out is null when it is emptied.
  const wanted = (field: Field) => given[field] || null;
  const changed = FIELDS.filter((field) => given[field] !== undefined && wanted(field) !== person[COLUMN_OF[field]]);
  if (changed.length === 0) return [];
  await requireFree(db, person.id, given);
  const set = changed.map((field, index) => `${COLUMN_OF[field]} = $${index + 2}`).join(', ');
  try {
    await db.query(`UPDATE identity.users SET ${set} WHERE id = $1`, [person.id, ...changed.map(wanted)]);
  } catch (error) {
    throw isTaken(error) ? taken((error as { constraint?: string }).constraint === 'users_username') : error;
  }
  if (changed.includes('email')) await forgetProof(db, person.id);
  return changed;
}

/** Takes the address from somebody; they go on without one. */
export async function releaseEmail(db: Queryable, { id }: Person): Promise<void> {
  await db.query(`UPDATE identity.users SET email = '' WHERE id = $1`, [id]);
  await forgetProof(db, id);
}

/** What was mailed to an address that is theirs no more proves nothing, and its links lead nowhere. */
async function forgetProof(db: Queryable, id: number): Promise<void> {
  await db.query('UPDATE identity.users SET email_proved_at = NULL WHERE id = $1', [id]);
  await forgetLinks(db, id);
}

/** Looked for rather than run into: the database's log would tell whose it is. */
async function requireFree(db: Queryable, id: number, { username, email }: ChangeUser): Promise<void> {
  const { rows } = await db.query<{ named: boolean }>(
    `SELECT coalesce(lower(username) = lower($2), false) AS named FROM identity.users
      WHERE id <> $1 AND erased_at IS NULL AND (lower(username) = lower($2) OR lower(email) = lower($3))`,
    [id, username ?? null, email ?? null],
  );
  if (rows.length > 0) throw taken(rows.some(({ named }) => named));
  if (username !== undefined) await requireDistinct(db, id, username);
}

const UNIQUE_VIOLATION = '23505';
const isTaken = (error: unknown): boolean => (error as { code?: unknown }).code === UNIQUE_VIOLATION;
const taken = (username: boolean) =>
  new Refusal('NAME_TAKEN', `This ${username ? 'username' : 'e-mail address'} is taken`);

/** Counts a change that an administrator made; answers the revision it led to. */
export async function revise(db: Queryable, person: Person, commandId: string): Promise<number> {
  const revision = person.revision + 1;
  await db.query('UPDATE identity.users SET revision = $2, revised_by = $3, updated_at = now() WHERE id = $1', [
    person.id,
    revision,
    commandId,
  ]);
  return revision;
}

/** Links of mails that somebody has not followed yet lead nowhere from now on. */
export async function forgetLinks(db: Queryable, userId: number): Promise<void> {
  await db.query('DELETE FROM identity.reset_tokens WHERE user_id = $1 AND used_at IS NULL', [userId]);
}

/** Whether anything of somebody's is locked, or has failed before and would lock the sooner for it. */
export async function hasFailures(db: Queryable, person: Person): Promise<boolean> {
  if (person.locked_until !== null || person.failed_login_attempts > 0 || person.lockouts > 0) return true;
  const { rowCount } = await db.query('SELECT FROM identity.sign_in_locks WHERE user_id = $1 LIMIT 1', [person.id]);
  return rowCount !== 0;
}

/**
 * Removes everything personal, wherever the vault holds it. The row stays for what points at it, and reads “Former
 * user”; the events name people by id alone, so that none of them changes.
 */
export async function erase(client: Client, person: Person): Promise<void> {
  const { id, username, email } = person;
  for (const table of [
    'password_history',
    'sessions',
    'devices',
    'sign_in_locks',
    'reset_tokens',
    'notification_marks',
    'notifications_seen',
  ]) {
    await client.query(`DELETE FROM identity.${table} WHERE user_id = $1`, [id]);
  }
  await client.query('DELETE FROM identity.mail_outbox WHERE user_id = $1 OR lower(recipient) = lower($2)', [
    id,
    email,
  ]);
  await client.query(
    `UPDATE identity.login_attempts SET username = $4, ip_address = NULL, user_agent = NULL
      WHERE user_id = $1 OR lower(username) IN (lower($2), lower($3))`,
    [id, username, email, FORMER_USER],
  );
  // A reset by mail is asked for by nobody who is signed in: its facts say which request it was.
  await client.query(
    `DELETE FROM identity.request_contexts
      WHERE user_id = $1 OR request_id IN (
        SELECT metadata ->> 'requestId' FROM identity.outbox
         WHERE stream = $2 AND coalesce((metadata ->> 'actorId')::bigint, $1) = $1)`,
    [id, streams.user(id)],
  );
  await client.query(
    `UPDATE identity.users
        SET username = $2, email = '', password_hash = NULL, first_name = NULL, last_name = NULL, display_name = NULL,
            phone_number = NULL, department = NULL, job_title = NULL, okta_id = NULL, require_password_change = false,
            email_proved_at = NULL, last_login_at = NULL, failed_login_attempts = 0, lockouts = 0, locked_until = NULL,
            erased_at = now(), updated_at = now()
      WHERE id = $1`,
    [id, FORMER_USER],
  );
}

/** People with the means to sign in: a password, or an account of a sign-in provider. */
export async function whoCanSignIn(db: Queryable): Promise<(userId: number) => boolean> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM identity.users WHERE (password_hash IS NOT NULL OR okta_id IS NOT NULL) AND erased_at IS NULL',
  );
  const able = new Set(rows.map(({ id }) => id));
  return (userId) => able.has(userId);
}
