/** Queues mail in the transaction that causes it. The text is sealed, because its link gives access to an account. */
import { INVITATION_HOURS, RESET_TOKEN_MINUTES } from '@rdm/contracts';
import type { Queryable, Settings } from '@rdm/platform';
import { MAIL_TEXT, seal } from '@rdm/platform/identity/sealing';

/** The settings for composing mail. */
export interface MailSettings {
  /** The base URL of links. */
  publicUrl: string;
  /** The key that seals texts until they are sent. */
  secret: string;
  /** Without a mail server, mail is not sent but stored, and administrators can read it. */
  hasServer: boolean;
}

export const mailSettingsOf = (
  settings: Pick<Settings, 'PUBLIC_URL' | 'SESSION_SECRET' | 'SMTP_URL'>,
): MailSettings => ({
  publicUrl: settings.PUBLIC_URL,
  secret: settings.SESSION_SECRET,
  hasServer: settings.SMTP_URL !== undefined,
});

export interface MailContent {
  subject: string;
  text: string;
}

const PRODUCT = 'Reference Data Management';

const linkTo = (mailSettings: MailSettings, token: string) =>
  `${mailSettings.publicUrl.replace(/\/+$/, '')}/reset-password?token=${encodeURIComponent(token)}`;

/** With `invited`, the page is about the choice of a first password and not about a reset. */
const invitationLinkTo = (mailSettings: MailSettings, token: string) => `${linkTo(mailSettings, token)}&invited=true`;

export const resetMail = (mailSettings: MailSettings, token: string): MailContent => ({
  subject: `Reset your password for ${PRODUCT}`,
  text: `A reset of the password of your account was requested. Choose a new password here:

${linkTo(mailSettings, token)}

The link works once, for ${RESET_TOKEN_MINUTES} minutes. If you did not ask for it, do nothing: your password stays as it is.
`,
});

export const invitationMail = (mailSettings: MailSettings, token: string, username: string): MailContent => ({
  subject: `Your account for ${PRODUCT}`,
  text: `An administrator made an account for you, with the username ${username}. Choose your password here:

${invitationLinkTo(mailSettings, token)}

The link works once, for ${INVITATION_HOURS} hours. Afterwards “Forgot password” on the sign-in page sends another link.
`,
});

/** The first status of a mail: WAITING until it is sent, or KEPT for administrators if there is no mail server. */
export const initialStatus = ({ hasServer }: MailSettings): 'WAITING' | 'KEPT' => (hasServer ? 'WAITING' : 'KEPT');

/** Queues mail to the current address of a user; does nothing if the user is erased. */
export async function queueMail(
  db: Queryable,
  mailSettings: MailSettings,
  userId: number,
  mail: MailContent,
): Promise<void> {
  await db.query(
    `INSERT INTO identity.mail_outbox (user_id, recipient, subject, sealed_text, status)
     SELECT id, email, $2, $3, $4 FROM identity.users WHERE id = $1 AND erased_at IS NULL`,
    [userId, mail.subject, seal(mailSettings.secret, MAIL_TEXT, mail.text), initialStatus(mailSettings)],
  );
}
