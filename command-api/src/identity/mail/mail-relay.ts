/** Sends waiting mail. Only one instance at a time attempts to send a mail. The pauses between the attempts grow. */
import { type ErrorLog, errorCode, type Log, type Pool, type Settings } from '@rdm/platform';
import { MAIL_TEXT, unseal } from '@rdm/platform/identity/sealing';
import { createTransport } from 'nodemailer';

/** How long an attempt reserves its mail: longer than the sum of the transport's timeouts. */
const LEASE_SECONDS = 180;
const MAILS_PER_ROUND = 20;
/**
 * The first pause lasts 10 seconds; each further pause is twice as long. The last attempt is about 20 minutes after the
 * first one, while the link of the mail is still valid.
 */
const FIRST_PAUSE_SECONDS = 10;
const ATTEMPTS = 8;
const ERROR_LENGTH = 300;

interface WaitingMail {
  id: number;
  recipient: string;
  subject: string;
  sealed_text: Buffer;
  attempts: number;
}

export interface MailRelay {
  /** Attempts to send at most MAILS_PER_ROUND due mails; returns how many were sent. */
  sendWaiting(): Promise<number>;
  /** Stops before the next mail. */
  close(): void;
}

/** Sends mail through the server at SMTP_URL. */
export function openMailRelay(
  pool: Pool,
  settings: Pick<Settings, 'MAIL_FROM' | 'SESSION_SECRET'> & { SMTP_URL: string },
  log: Log,
  errors?: Pick<ErrorLog, 'record'>,
): MailRelay {
  const server = createTransport({
    url: settings.SMTP_URL,
    connectionTimeout: 10_000,
    greetingTimeout: 20_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  async function giveUp(mail: WaitingMail, why: string, code: string): Promise<void> {
    if (!(await markFailed(pool, mail, why))) return;
    errors?.record({
      kind: 'MAIL',
      code,
      message: `Mail ${mail.id} could not be delivered: the mail outbox has the reason`,
    });
  }

  async function send(mail: WaitingMail): Promise<boolean> {
    const text = unseal(settings.SESSION_SECRET, MAIL_TEXT, mail.sealed_text);
    if (text === undefined) {
      await giveUp(mail, 'SESSION_SECRET was changed: the text can no longer be read', 'UNREADABLE');
      return false;
    }
    try {
      const { id, recipient: to, subject } = mail;
      // The id stays the same, so that a server can detect duplicates.
      const messageId = `<mail-${id}-${mail.sealed_text.subarray(0, 12).toString('hex')}@reference-data>`;
      await server.sendMail({ from: settings.MAIL_FROM, to: { name: '', address: to }, subject, text, messageId });
      await markSent(pool, mail);
      return true;
    } catch (error) {
      const { message, responseCode, code } = error as { message: string; responseCode?: number; code?: string };
      // Responses of mail servers contain addresses, so only the vault stores them.
      log.warn({ mailId: mail.id, attempt: mail.attempts, code, responseCode }, 'A mail could not be sent');
      const isPermanent = responseCode !== undefined && responseCode >= 500;
      if (isPermanent || mail.attempts >= ATTEMPTS)
        await giveUp(mail, message, responseCode === undefined ? errorCode(error) : `SMTP-${responseCode}`);
      else await scheduleRetry(pool, mail, message);
      return false;
    }
  }

  let isClosed = false;
  return {
    async sendWaiting() {
      let sentCount = 0;
      for (let turn = 0; turn < MAILS_PER_ROUND && !isClosed; turn++) {
        const mail = await claim(pool);
        if (!mail) break;
        if (await send(mail)) sentCount += 1;
      }
      return sentCount;
    },
    close() {
      isClosed = true;
      server.close();
    },
  };
}

/** Claims the mail that has been due longest. */
async function claim(pool: Pool): Promise<WaitingMail | undefined> {
  const { rows } = await pool.query<WaitingMail>(
    `UPDATE identity.mail_outbox
        SET attempts = attempts + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
      WHERE id = (SELECT id FROM identity.mail_outbox WHERE status = 'WAITING' AND next_attempt_at <= now()
                   ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, recipient, subject, sealed_text, attempts`,
  );
  return rows[0];
}

// Updates apply only if no later attempt has claimed the mail.
const IS_THIS_ATTEMPT = `id = $1 AND attempts = $2 AND status = 'WAITING'`;

/** Marks a mail as sent and deletes its text, because only the recipient may see the link. */
async function markSent(pool: Pool, { id, attempts }: WaitingMail): Promise<void> {
  await pool.query(
    `UPDATE identity.mail_outbox SET status = 'SENT', sealed_text = NULL, sent_at = now(), last_error = NULL WHERE ${IS_THIS_ATTEMPT}`,
    [id, attempts],
  );
}

async function scheduleRetry(pool: Pool, { id, attempts }: WaitingMail, why: string): Promise<void> {
  await pool.query(
    `UPDATE identity.mail_outbox SET last_error = $3, next_attempt_at = now() + $4 * interval '1 second' WHERE ${IS_THIS_ATTEMPT}`,
    [id, attempts, why.slice(0, ERROR_LENGTH), FIRST_PAUSE_SECONDS * 2 ** (attempts - 1)],
  );
}

/** Returns false if the mail no longer belongs to this attempt. */
async function markFailed(pool: Pool, { id, attempts }: WaitingMail, why: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE identity.mail_outbox SET status = 'FAILED', last_error = $3 WHERE ${IS_THIS_ATTEMPT}`,
    [id, attempts, why.slice(0, ERROR_LENGTH)],
  );
  return rowCount === 1;
}
