/** Links that let a person choose a password: asked for by whoever forgot theirs, or sent with an invitation. */
import { createHash, randomBytes } from 'node:crypto';
import { INVITATION_HOURS, RESET_TOKEN_MINUTES, Refusal } from '@rdm/contracts';
import { type Client, type Pool, transaction } from '@rdm/platform';
import { ASKED_ADDRESS, seal, unseal } from '@rdm/platform/identity/sealing';
import { putInOutbox } from '../../runtime/outbox.ts';
import { invitationLetter, type Post, queueMail, resetLetter } from '../mail/mail.ts';
import { rememberDevice } from '../sign-in/devices.ts';
import { unlock } from '../sign-in/lockout.ts';
import { type Asking, factAbout } from '../sign-in/sign-in.ts';
import { lineOf, RESET_MAILS_FROM_ADDRESS, RESET_MAILS_TO_MAILBOX, takeTurn } from '../sign-in/throttle.ts';
import { lockUser, type VaultUser } from '../vault.ts';
import { hashChosen, setPassword } from './password-change.ts';

/** 256 random bits need no slow hash: there is nothing to guess. */
const newToken = (): string => randomBytes(32).toString('base64url');
const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Keeps the hash of a token for a person. The link they were sent before is good no longer, but for an invitation that a
 * mere request must not end: anybody can make one.
 */
async function keepToken(client: Client, userId: number, token: string, minutes: number): Promise<void> {
  await client.query(
    `DELETE FROM identity.reset_tokens
      WHERE user_id = $1 AND used_at IS NULL AND expires_at - created_at <= $2 * interval '1 minute'`,
    [userId, minutes],
  );
  await client.query(
    `INSERT INTO identity.reset_tokens (hash, user_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 minute')`,
    [hashToken(token), userId, minutes],
  );
}

/** Sends a new person, within the transaction that stores them, the link with which they choose a password. */
export async function invite(client: Client, userId: number, username: string, post: Post): Promise<void> {
  const token = newToken();
  await keepToken(client, userId, token, INVITATION_HOURS * 60);
  await queueMail(client, post, userId, invitationLetter(post, token, username));
}

export interface ResetDependencies {
  pool: Pool;
  post: Post;
  isActive: (userId: number) => boolean;
}

/**
 * Writes down that a link was asked for, and nothing else: whose address it is, if anybody's, is looked up once the
 * caller was answered, so that neither words nor time can tell. Too many requests are silently none.
 */
export async function requestReset(
  { pool, post }: Pick<ResetDependencies, 'pool' | 'post'>,
  email: string,
  asking: Asking,
): Promise<void> {
  await transaction(pool, async (client) => {
    const waits = [
      await takeTurn(client, post.secret, RESET_MAILS_FROM_ADDRESS, lineOf(asking.ipAddress)),
      await takeTurn(client, post.secret, RESET_MAILS_TO_MAILBOX, email.toLowerCase()),
    ];
    if (waits.some((seconds) => seconds > 0)) return;
    await client.query('INSERT INTO identity.reset_requests (sealed_email) VALUES ($1)', [
      seal(post.secret, ASKED_ADDRESS, email),
    ]);
  });
}

/** Mails the links that were asked for; returns how many requests were looked at. */
export async function mailLinks(deps: ResetDependencies): Promise<number> {
  for (let answered = 0; ; answered++) if (!(await mailOneLink(deps))) return answered;
}

/** To a person who is active and has a password here; to nobody else. The request is gone with what came of it, or stays. */
const mailOneLink = ({ pool, post, isActive }: ResetDependencies): Promise<boolean> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<{ sealed_email: Buffer }>(
      `DELETE FROM identity.reset_requests
        WHERE id = (SELECT id FROM identity.reset_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING sealed_email`,
    );
    if (rows[0] === undefined) return false;
    const email = unseal(post.secret, ASKED_ADDRESS, rows[0].sealed_email);
    const { rows: people } = await client.query<VaultUser>(
      `SELECT * FROM identity.users WHERE lower(email) = lower($1) AND erased_at IS NULL AND auth_provider = 'local'`,
      [email ?? null],
    );
    const person = people[0];
    if (person !== undefined && isActive(person.id)) {
      const token = newToken();
      await keepToken(client, person.id, token, RESET_TOKEN_MINUTES);
      await queueMail(client, post, person.id, resetLetter(post, token));
    }
    return true;
  });

/**
 * Lets whoever holds a link choose the password: once, and whoever was signed in is signed out. What strangers locked
 * is open again, and this browser stays the person's, so that no stranger stands between the link and the sign-in.
 * Answers the token for the browser's device cookie.
 */
export async function resetPassword(
  deps: ResetDependencies,
  { token, password, device }: { token: string; password: string; device: string | undefined },
  asking: Asking,
): Promise<string> {
  const { pool, isActive } = deps;
  const spent = () => new Refusal('INVALID', 'This link is not valid any more. Please ask for a new one.');
  const hash = hashToken(token);
  const { rows } = await pool.query<VaultUser>(
    `SELECT u.* FROM identity.reset_tokens t JOIN identity.users u ON u.id = t.user_id
      WHERE t.hash = $1 AND t.used_at IS NULL AND t.expires_at > now() AND u.erased_at IS NULL AND u.auth_provider = 'local'`,
    [hash],
  );
  const user = rows[0];
  if (!user || !isActive(user.id)) throw spent();
  const newHash = await hashChosen(pool, user, password);
  return transaction(pool, async (client) => {
    await lockUser(client, user.id);
    const used = await client.query(
      'UPDATE identity.reset_tokens SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND expires_at > now()',
      [hash],
    );
    if (used.rowCount !== 1) throw spent();
    await setPassword(client, user, newHash, {});
    // Links of mail that was not sent are handed over by administrators: they prove no address.
    await client.query(
      `UPDATE identity.users u SET email_proved_at = now() WHERE id = $1 AND EXISTS (
         SELECT FROM identity.mail_outbox m
          WHERE m.user_id = u.id AND m.status = 'SENT' AND lower(m.recipient) = lower(u.email))`,
      [user.id],
    );
    await unlock(client, user.id);
    const fact = { type: 'PasswordReset', data: { userId: user.id } } as const;
    await putInOutbox(client, factAbout(asking, user.id, user.id, fact));
    return rememberDevice(client, user.id, device);
  });
}
