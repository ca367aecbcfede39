/** A mail that the mail server refuses at every attempt. */
import { describe, expect, it } from 'vitest';
import { database, inviteUser, mailServer, mailTo, startMailStack, until, waitForMail } from '../mail/mail-stack.ts';

startMailStack();

describe('a mail', () => {
  it('is marked as failed after the eighth attempt', async () => {
    mailServer.refusal = { code: 421, text: 'Not now' };
    const { email } = await inviteUser();
    await until(async () => ((await mailTo(email)).lastError === null ? undefined : true));
    await database.query('UPDATE identity.mail_outbox SET attempts = 7, next_attempt_at = now() WHERE recipient = $1', [
      email,
    ]);
    expect(await waitForMail(email, 'FAILED')).toMatchObject({ attempts: 8 });
    mailServer.refusal = undefined;
  });
});
