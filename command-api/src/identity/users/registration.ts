/** Registers users, who create their own account with the role Viewer. A repeated request creates no second account. */
import { ACCESS_STREAM, Refusal, type Register, VIEWER_ROLE_ID } from '@rdm/contracts';
import { type Pool, type Queryable, transaction } from '@rdm/platform';
import { command } from '../../runtime/commands.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { registerUser } from '../decider.ts';
import { verifyPassword } from '../passwords/hashing.ts';
import { admit, type RequestContext, recordAttempt, type SignedIn, wrongPassword } from '../sign-in/sign-in.ts';
import { deleteUnregisteredUser, lockUser, storeUser, type VaultUser } from '../vault.ts';
import { loadLookAlikeCheck } from './look-alikes.ts';

/** The maximum number of derived usernames to try, because other registrations can take a name first. */
const NAMES_TRIED = 10;

export const register = command<{ person: Register }>(
  'RegisterUser',
  async (x, { person }) => {
    const id = await x.allocateOne('user_ids');
    await storePerson(x, id, person);
    try {
      await x.change(kinds.access, ACCESS_STREAM, [], (access) => registerUser(access, id, VIEWER_ROLE_ID));
    } catch (error) {
      // The user was not created: release the name and address.
      if (error instanceof Refusal) await deleteUnregisteredUser(x.pool, id);
      throw error;
    }
    return { status: 201, body: { id } };
  },
  { keep: false },
);

async function storePerson(x: Execution, id: number, person: Register): Promise<void> {
  const { confirmPassword: _, username: requestedName, ...profile } = person;
  for (let attempt = 1; ; attempt++) {
    const username = requestedName ?? (await findUnusedName(x.pool, id, person.email));
    try {
      await storeUser(x.pool, id, { ...profile, username, roleId: VIEWER_ROLE_ID, requirePasswordChange: false });
      return;
    } catch (error) {
      const canTryAnotherName = error instanceof Refusal && error.code === 'NAME_TAKEN' && requestedName === undefined;
      if (!canTryAnotherName || attempt >= NAMES_TRIED || !(await isUsernameUsed(x.pool, username))) throw error;
    }
  }
}

/**
 * Derives a username from the part of the e-mail address before "@", and appends a number if the name is taken or looks
 * like another. Tries ten unused names; if all of these look like others, returns a name that `storeUser` refuses.
 */
async function findUnusedName(db: Queryable, id: number, email: string): Promise<string> {
  const localPart = email.slice(0, email.lastIndexOf('@'));
  const isSimilar = await loadLookAlikeCheck(db, id);
  const { rows } = await db.query<{ name: string }>(
    `SELECT name FROM (SELECT n, $1 || CASE WHEN n = 1 THEN '' ELSE n::text END AS name
                         FROM generate_series(1, 10000) n) names
      WHERE NOT EXISTS (SELECT FROM identity.users u WHERE lower(u.username) = lower(name) AND u.erased_at IS NULL)
      ORDER BY n LIMIT 10`,
    [localPart],
  );
  return rows.find(({ name }) => !isSimilar(name))?.name ?? localPart;
}

async function isUsernameUsed(db: Queryable, username: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM identity.users WHERE lower(username) = lower($1) AND erased_at IS NULL',
    [username],
  );
  return rowCount !== 0;
}

/** Signs in the registered user. A repeated request throws if the password has changed since the registration. */
export async function signInRegistered(
  pool: Pool,
  {
    id,
    password,
    device,
    sessionHours,
  }: { id: number; password: string; device: string | undefined; sessionHours: number },
  context: RequestContext,
): Promise<SignedIn> {
  const { rows } = await pool.query<VaultUser>('SELECT * FROM identity.users WHERE id = $1', [id]);
  const user = rows[0];
  const isCorrect = await verifyPassword(user?.password_hash, password);
  return transaction(pool, async (client) => {
    const current = await lockUser(client, id);
    const isAdmitted = isCorrect && current !== undefined && current.password_hash === user?.password_hash;
    await recordAttempt(client, current?.username ?? '', context, current?.id ?? null, isAdmitted);
    return isAdmitted ? { admitted: await admit(client, id, device, sessionHours) } : {};
  }).then(({ admitted }) => admitted ?? Promise.reject(wrongPassword()));
}
