/** Mail of the vault: queued with what it tells of, its text sealed because the link in it opens an account. */
import { INVITATION_HOURS, RESET_TOKEN_MINUTES } from '@rdm/contracts';
import type { Queryable, Settings } from '@rdm/platform';
import { MAIL_TEXT, seal } from '@rdm/platform/identity/sealing';

/** How this house sends mail. */
export interface Post {
  /** Where the links of mails lead. */
  publicUrl: string;
  /** What texts are sealed with until they are sent. */
  secret: string;
  /** Without a server, mail is kept for administrators to read. */
  hasServer: boolean;
}

export const postOf = (settings: Pick<Settings, 'PUBLIC_URL' | 'SESSION_SECRET' | 'SMTP_URL'>): Post => ({
  publicUrl: settings.PUBLIC_URL,
  secret: settings.SESSION_SECRET,
  hasServer: settings.SMTP_URL !== undefined,
});

export interface Letter {
  subject: string;
  text: string;
}

const PRODUCT = 'Reference Data Management';

const linkTo = (post: Post, token: string) =>
  `${post.publicUrl.replace(/\/+$/, '')}/reset-password?token=${encodeURIComponent(token)}`;

export const resetLetter = (post: Post, token: string): Letter => ({
  subject: `Reset your password for ${PRODUCT}`,
  text: `Somebody asked to reset the password of your account. Choose a new one here:

${linkTo(post, token)}

The link works once, for ${RESET_TOKEN_MINUTES} minutes. If you did not ask for it, do nothing: your password stays as it is.
`,
});

export const invitationLetter = (post: Post, token: string, username: string): Letter => ({
  subject: `Your account for ${PRODUCT}`,
  text: `An administrator made an account for you, with the username ${username}. Choose your password here:

${linkTo(post, token)}

The link works once, for ${INVITATION_HOURS} hours. Afterwards “Forgot password” on the sign-in page sends another one.
`,
});

/** What becomes of a letter that is queued. */
export const becomesOf = ({ hasServer }: Post): 'WAITING' | 'KEPT' => (hasServer ? 'WAITING' : 'KEPT');

/** Queues a letter to the address that a person has now. */
export async function queueMail(db: Queryable, post: Post, userId: number, letter: Letter): Promise<void> {
  await db.query(
    `INSERT INTO identity.mail_outbox (user_id, recipient, subject, sealed_text, status)
     SELECT id, email, $2, $3, $4 FROM identity.users WHERE id = $1 AND erased_at IS NULL`,
    [userId, letter.subject, seal(post.secret, MAIL_TEXT, letter.text), becomesOf(post)],
  );
}
