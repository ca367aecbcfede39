/** Signs users in with a password, records the attempts and counts the failures. */
import { randomUUID } from 'node:crypto';
import { type ProductEvent, Refusal, streams } from '@rdm/contracts';
import { type ApiRequest, type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { CommandMeta } from '../../runtime/execution.ts';
import { type OutboxFact, outboxFact } from '../../runtime/outbox.ts';
import { verifyPassword } from '../passwords/hashing.ts';
import { type Caller, lockUser, openSession, type VaultUser } from '../vault.ts';
import { deviceHash, rememberDevice } from './devices.ts';
import {
  afterFailure,
  clearFailures,
  formatMinutes,
  lockSubject,
  nameSubject,
  normalisedName,
  type Subject,
  storeLock,
  updateProfileLocks,
} from './lockout.ts';
import { FAILURES_FROM_ADDRESS, networkOf, refundHit, requireWithinLimit } from './throttle.ts';

/** The request that causes facts of the vault. */
export type RequestContext = Pick<ApiRequest, 'requestId' | 'correlationId' | 'sourceType'> & Caller;

export interface Attempt {
  username: string;
  password: string;
  /** The token in the device cookie. */
  device: string | undefined;
}

export interface SignedIn {
  userId: number;
  sessionId: string;
  device: string;
}

export interface SignInDependencies {
  pool: Pool;
  secret: string;
  sessionHours: number;
  isActive: (userId: number) => boolean;
}

/** Creates a fact about a user, with a new command id. */
export function userFact(
  context: RequestContext,
  actorId: number | null,
  userId: number,
  event: ProductEvent,
): OutboxFact {
  const { requestId, correlationId, sourceType } = context;
  const meta: CommandMeta = { commandId: randomUUID(), actorId, requestId, correlationId, sourceType };
  return outboxFact(meta, streams.user(userId), event, new Date());
}

/**
 * Checks a sign-in and opens a session. Failures on a device of the user count for this device, so that other people
 * cannot lock the device; failures in unknown browsers count for the entered name. Wrong passwords and unknown names
 * cause the same message and the same SQL statements.
 */
export async function signIn(deps: SignInDependencies, attempt: Attempt, context: RequestContext): Promise<SignedIn> {
  const { pool, secret, sessionHours, isActive } = deps;
  const network = networkOf(context.ipAddress);
  const user = await findUserByLogin(pool, attempt);
  const isUnknownBrowser = user?.own_device !== true;
  // An attempt beyond the limit counts for the limit but is not recorded: otherwise an attacker could fill the table.
  if (isUnknownBrowser) await requireWithinLimit(pool, secret, FAILURES_FROM_ADDRESS, network);
  const isCorrect = await verifyPassword(user?.auth_provider === 'local' ? user.password_hash : null, attempt.password);
  const subject: Subject = isUnknownBrowser
    ? nameSubject(secret, attempt.username)
    : `device:${deviceHash(attempt.device).toString('base64url')}:${user.id}`;

  const outcome = await transaction(pool, async (client) => {
    const current = await lockUser(client, user?.id ?? null);
    const lock = await lockSubject(client, subject, current?.id ?? null);
    const isAdmitted =
      isCorrect &&
      current !== undefined &&
      current.password_hash === user?.password_hash &&
      lock.lockedFor === 0 &&
      isActive(current.id);
    await recordAttempt(client, attempt.username, context, current?.id ?? null, isAdmitted);
    if (!isAdmitted) return { lockedFor: await countFailure(client, subject, lock, current?.id ?? null, context) };
    await clearFailures(client, subject);
    await updateProfileLocks(client, current.id);
    if (isUnknownBrowser) await refundHit(client, secret, FAILURES_FROM_ADDRESS, network);
    return { admitted: await admit(client, current.id, attempt.device, sessionHours) };
  });
  if (outcome.admitted) return outcome.admitted;
  if (outcome.lockedFor > 0) {
    const message = `Account temporarily locked. Try again in ${formatMinutes(outcome.lockedFor)}`;
    throw new Refusal('LOCKED_OUT', message, undefined, outcome.lockedFor);
  }
  throw wrongPassword();
}

export const wrongPassword = () => new Refusal('UNAUTHENTICATED', 'Invalid username or password');

/** Opens a session and stores the browser as a device of the user. */
export async function admit(
  client: Client,
  userId: number,
  device: string | undefined,
  sessionHours: number,
): Promise<SignedIn> {
  await client.query('UPDATE identity.users SET last_login_at = now() WHERE id = $1', [userId]);
  return {
    userId,
    sessionId: await openSession(client, userId, sessionHours),
    device: await rememberDevice(client, userId, device),
  };
}

/** Finds the user with the entered username or e-mail address, and whether the browser is a device of this user. */
async function findUserByLogin(
  db: Queryable,
  { username, device }: Attempt,
): Promise<(VaultUser & { own_device: boolean }) | undefined> {
  const { rows } = await db.query<VaultUser & { own_device: boolean }>(
    `SELECT u.*, EXISTS (SELECT FROM identity.devices d WHERE d.user_id = u.id AND d.hash = $2) AS own_device
       FROM identity.users u
      WHERE (lower(u.username) = $1 OR lower(u.email) = $1) AND u.erased_at IS NULL
      ORDER BY (lower(u.username) = $1) DESC LIMIT 1`,
    [normalisedName(username), deviceHash(device)],
  );
  return rows[0];
}

export async function recordAttempt(
  db: Queryable,
  username: string,
  { ipAddress, userAgent }: Caller,
  userId: number | null,
  success: boolean,
): Promise<void> {
  await db.query(
    `INSERT INTO identity.login_attempts (username, ip_address, user_agent, success, user_id)
     VALUES ($1, $2, $3, $4, $5)`,
    [username, ipAddress, userAgent, success, userId],
  );
}

/** Counts a failure unless the subject is locked. Returns the remaining seconds of the lock, or 0. */
async function countFailure(
  client: Client,
  subject: Subject,
  lock: Awaited<ReturnType<typeof lockSubject>>,
  userId: number | null,
  context: RequestContext,
): Promise<number> {
  const newLock = afterFailure(lock);
  await storeLock(client, subject, newLock);
  await updateProfileLocks(client, userId);
  if (newLock.lockedMinutes > 0) await recordLocked(client, userId, newLock.lockedMinutes, context);
  return newLock.lockedFor;
}

/** Writes a UserLocked fact. For an unknown user, runs the same statement, so that the duration reveals nothing. */
async function recordLocked(
  client: Client,
  userId: number | null,
  minutes: number,
  context: RequestContext,
): Promise<void> {
  const about = userId ?? 0;
  const fact = userFact(context, null, about, { type: 'UserLocked', data: { userId: about, minutes } });
  await client.query(
    `INSERT INTO identity.outbox (event_id, stream, type, data, metadata)
     SELECT $2, $3, $4, $5, $6 FROM identity.users WHERE id = $1`,
    [userId, fact.eventId, fact.stream, fact.type, JSON.stringify(fact.data), JSON.stringify(fact.metadata)],
  );
}
