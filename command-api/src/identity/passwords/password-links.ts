/** Mailed links for choosing a password: after "Forgot password", or with an invitation. */
import { createHash, randomBytes } from 'node:crypto';
import { INVITATION_HOURS, RESET_TOKEN_MINUTES, Refusal } from '@rdm/contracts';
import { type Client, type Pool, transaction } from '@rdm/platform';
import { REQUESTED_ADDRESS, seal, unseal } from '@rdm/platform/identity/sealing';
import { putInOutbox } from '../../runtime/outbox.ts';
import { invitationMail, type MailSettings, queueMail, resetMail } from '../mail/mail.ts';
import { rememberDevice } from '../sign-in/devices.ts';
import { unlock } from '../sign-in/lockout.ts';
import { type RequestContext, userFact } from '../sign-in/sign-in.ts';
import { countHit, networkOf, RESET_MAILS_FROM_ADDRESS, RESET_MAILS_TO_MAILBOX } from '../sign-in/throttle.ts';
import { lockUser, type VaultUser } from '../vault.ts';
import { hashNewPassword, setPassword } from './password-change.ts';

/** A token of 256 random bits cannot be guessed, so it needs no slow hash. */
const newToken = (): string => randomBytes(32).toString('base64url');
const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Stores the hash of a token and deletes unused tokens with the same or a shorter lifetime. A reset must not invalidate
 * an invitation, because anyone can request a reset.
 */
async function storeToken(client: Client, userId: number, token: string, minutes: number): Promise<void> {
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

/** Mails a new user the link for choosing a password, in the transaction that stores the user. */
export async function sendInvitation(
  client: Client,
  userId: number,
  username: string,
  mailSettings: MailSettings,
): Promise<void> {
  const token = newToken();
  await storeToken(client, userId, token, INVITATION_HOURS * 60);
  await queueMail(client, mailSettings, userId, invitationMail(mailSettings, token, username));
}

export interface ResetDependencies {
  pool: Pool;
  mailSettings: MailSettings;
  isActive: (userId: number) => boolean;
}

/**
 * Stores a request for a link. The address is looked up later, so that neither the content nor the duration of the
 * response reveals whether an account exists. Ignores requests beyond the limits silently.
 */
export async function requestReset(
  { pool, mailSettings }: Pick<ResetDependencies, 'pool' | 'mailSettings'>,
  email: string,
  context: RequestContext,
): Promise<void> {
  await transaction(pool, async (client) => {
    const waits = [
      await countHit(client, mailSettings.secret, RESET_MAILS_FROM_ADDRESS, networkOf(context.ipAddress)),
      await countHit(client, mailSettings.secret, RESET_MAILS_TO_MAILBOX, email.toLowerCase()),
    ];
    if (waits.some((seconds) => seconds > 0)) return;
    await client.query('INSERT INTO identity.reset_requests (sealed_email) VALUES ($1)', [
      seal(mailSettings.secret, REQUESTED_ADDRESS, email),
    ]);
  });
}

/** Handles all stored requests for links; returns their number. */
export async function mailRequestedLinks(deps: ResetDependencies): Promise<number> {
  for (let answered = 0; ; answered++) if (!(await mailNextLink(deps))) return answered;
}

/**
 * Deletes the next request for a link. Mails the link if the address belongs to an active user who signs in with a
 * password. Returns false if there is no request.
 */
const mailNextLink = ({ pool, mailSettings, isActive }: ResetDependencies): Promise<boolean> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<{ sealed_email: Buffer }>(
      `DELETE FROM identity.reset_requests
        WHERE id = (SELECT id FROM identity.reset_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING sealed_email`,
    );
    if (rows[0] === undefined) return false;
    const email = unseal(mailSettings.secret, REQUESTED_ADDRESS, rows[0].sealed_email);
    const { rows: people } = await client.query<VaultUser>(
      `SELECT * FROM identity.users WHERE lower(email) = lower($1) AND erased_at IS NULL AND auth_provider = 'local'`,
      [email ?? null],
    );
    const person = people[0];
    if (person !== undefined && isActive(person.id)) {
      const token = newToken();
      await storeToken(client, person.id, token, RESET_TOKEN_MINUTES);
      await queueMail(client, mailSettings, person.id, resetMail(mailSettings, token));
    }
    return true;
  });

/**
 * Sets a new password with a mailed link, which works once, and ends all sessions of the user. Unlocks the user and
 * stores this browser as a device, so that failed sign-ins by other people cannot lock the user out. Returns the token
 * for the device cookie; throws INVALID for an invalid link.
 */
export async function resetPassword(
  deps: ResetDependencies,
  { token, password, device }: { token: string; password: string; device: string | undefined },
  context: RequestContext,
): Promise<string> {
  const { pool, isActive } = deps;
  const invalidLink = () => new Refusal('INVALID', 'This link is not valid any more. Please ask for a new one.');
  const hash = hashToken(token);
  const { rows } = await pool.query<VaultUser>(
    `SELECT u.* FROM identity.reset_tokens t JOIN identity.users u ON u.id = t.user_id
      WHERE t.hash = $1 AND t.used_at IS NULL AND t.expires_at > now() AND u.erased_at IS NULL AND u.auth_provider = 'local'`,
    [hash],
  );
  const user = rows[0];
  if (!user || !isActive(user.id)) throw invalidLink();
  const newHash = await hashNewPassword(pool, user, password);
  return transaction(pool, async (client) => {
    await lockUser(client, user.id);
    const used = await client.query(
      'UPDATE identity.reset_tokens SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND expires_at > now()',
      [hash],
    );
    if (used.rowCount !== 1) throw invalidLink();
    await setPassword(client, user, newHash, {});
    // If the mail was not sent, an administrator passed on the link, so the link does not prove the address.
    await client.query(
      `UPDATE identity.users u SET email_proved_at = now() WHERE id = $1 AND EXISTS (
         SELECT FROM identity.mail_outbox m
          WHERE m.user_id = u.id AND m.status = 'SENT' AND lower(m.recipient) = lower(u.email))`,
      [user.id],
    );
    await unlock(client, user.id);
    const fact = { type: 'PasswordReset', data: { userId: user.id } } as const;
    await putInOutbox(client, userFact(context, user.id, user.id, fact));
    return rememberDevice(client, user.id, device);
  });
}
