/** Signing in with a password: what is tried is recorded, counted and answered alike, whether the name is anybody's or nobody's. */
import { randomUUID } from 'node:crypto';
import { type ProductEvent, Refusal, streams } from '@rdm/contracts';
import { type ApiRequest, type Client, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { CommandMeta } from '../../runtime/execution.ts';
import { type OutboxFact, outboxFact } from '../../runtime/outbox.ts';
import { passwordFits } from '../passwords/hashing.ts';
import { type Caller, lockUser, openSession, type VaultUser } from '../vault.ts';
import { deviceHash, rememberDevice } from './devices.ts';
import {
  afterFailure,
  foldedName,
  forgetFailures,
  holdLock,
  inMinutes,
  keepLock,
  nameSubject,
  type Subject,
  showLocks,
} from './lockout.ts';
import { FAILURES_FROM_ADDRESS, giveBackTurn, lineOf, requireTurn } from './throttle.ts';

/** The request behind what the vault says happened, for the facts it tells others. */
export type Asking = Pick<ApiRequest, 'requestId' | 'correlationId' | 'sourceType'> & Caller;

export interface Attempt {
  username: string;
  password: string;
  /** What the browser's device cookie holds. */
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

/** What happened to a person, under an id of its own. */
export function factAbout(asking: Asking, actorId: number | null, userId: number, event: ProductEvent): OutboxFact {
  const { requestId, correlationId, sourceType } = asking;
  const meta: CommandMeta = { commandId: randomUUID(), actorId, requestId, correlationId, sourceType };
  return outboxFact(meta, streams.user(userId), event, new Date());
}

/**
 * Checks a sign-in and opens a session. Strangers' failures count for the name they typed, those of a browser on which
 * the person signed in before for that browser alone: so nobody is locked out by others. The words for a wrong password
 * and an unknown name are the same, and so are the statements that run.
 */
export async function signIn(deps: SignInDependencies, attempt: Attempt, asking: Asking): Promise<SignedIn> {
  const { pool, secret, sessionHours, isActive } = deps;
  const line = lineOf(asking.ipAddress);
  const user = await findTried(pool, attempt);
  const isStranger = user?.own_device !== true;
  // An attempt that is throttled is counted and not recorded: an attacker decides how many there are.
  if (isStranger) await requireTurn(pool, secret, FAILURES_FROM_ADDRESS, line);
  const fits = await passwordFits(user?.auth_provider === 'local' ? user.password_hash : null, attempt.password);
  const subject: Subject = isStranger
    ? nameSubject(secret, attempt.username)
    : `device:${deviceHash(attempt.device).toString('base64url')}:${user.id}`;

  const outcome = await transaction(pool, async (client) => {
    const current = await lockUser(client, user?.id ?? null);
    const lock = await holdLock(client, subject, current?.id ?? null);
    const admitted =
      fits &&
      current !== undefined &&
      current.password_hash === user?.password_hash &&
      lock.lockedFor === 0 &&
      isActive(current.id);
    await record(client, attempt.username, asking, current?.id ?? null, admitted);
    if (!admitted) return { refused: await countFailure(client, subject, lock, current?.id ?? null, asking) };
    await forgetFailures(client, subject);
    await showLocks(client, current.id);
    if (isStranger) await giveBackTurn(client, secret, FAILURES_FROM_ADDRESS, line);
    return { admitted: await admit(client, current.id, attempt.device, sessionHours) };
  });
  if (outcome.admitted) return outcome.admitted;
  if (outcome.refused > 0) {
    const message = `Account temporarily locked. Try again in ${inMinutes(outcome.refused)}`;
    throw new Refusal('LOCKED_OUT', message, undefined, outcome.refused);
  }
  throw wrongPassword();
}

export const wrongPassword = () => new Refusal('UNAUTHENTICATED', 'Invalid username or password');

/** Opens a session in a browser that is the person's from now on. */
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

/** Who has the name or the address that was typed, and whether they signed in on this device before. */
async function findTried(
  db: Queryable,
  { username, device }: Attempt,
): Promise<(VaultUser & { own_device: boolean }) | undefined> {
  const { rows } = await db.query<VaultUser & { own_device: boolean }>(
    `SELECT u.*, EXISTS (SELECT FROM identity.devices d WHERE d.user_id = u.id AND d.hash = $2) AS own_device
       FROM identity.users u
      WHERE (lower(u.username) = $1 OR lower(u.email) = $1) AND u.erased_at IS NULL
      ORDER BY (lower(u.username) = $1) DESC LIMIT 1`,
    [foldedName(username), deviceHash(device)],
  );
  return rows[0];
}

/** Records an attempt that was looked at, whatever came of it. */
export async function record(
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

/** Counts a failure; answers the seconds for which the subject is locked, or 0. */
async function countFailure(
  client: Client,
  subject: Subject,
  lock: Awaited<ReturnType<typeof holdLock>>,
  userId: number | null,
  asking: Asking,
): Promise<number> {
  const next = afterFailure(lock);
  await keepLock(client, subject, next);
  await showLocks(client, userId);
  if (next.lockedMinutes > 0) await tellLocked(client, userId, next.lockedMinutes, asking);
  return next.lockedFor;
}

/** Tells that somebody is locked, where the name is somebody's; the statement runs either way. */
async function tellLocked(client: Client, userId: number | null, minutes: number, asking: Asking): Promise<void> {
  const about = userId ?? 0;
  const fact = factAbout(asking, null, about, { type: 'UserLocked', data: { userId: about, minutes } });
  await client.query(
    `INSERT INTO identity.outbox (event_id, stream, type, data, metadata)
     SELECT $2, $3, $4, $5, $6 FROM identity.users WHERE id = $1`,
    [userId, fact.eventId, fact.stream, fact.type, JSON.stringify(fact.data), JSON.stringify(fact.metadata)],
  );
}
