/** The mail outbox, for administrators. Also contains the mails that are not sent because no mail server is set. */
import { ListQuery, MAIL_FIELDS, MailView, pageOf } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { MAIL_TEXT, unseal } from '@rdm/platform/identity/sealing';
import { listRows } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { sql } from '../read-models/sql.ts';

/** A mail as it is stored, with its text encrypted. */
type EncryptedMail = Omit<MailView, 'text'> & { text: string | null };

const columns = {
  id: sql`m.id`,
  to: sql`m.recipient`,
  subject: sql`m.subject`,
  text: sql`encode(m.sealed_text, 'base64')`,
  status: sql`m.status`,
  attempts: sql`m.attempts`,
  lastError: sql`m.last_error`,
  createdAt: sql`m.created_at`,
  sentAt: sql`m.sent_at`,
} satisfies Record<keyof MailView, unknown>;

const mailList: ListDefinition = {
  from: sql`identity.mail_outbox m`,
  where: sql`true`,
  columns,
  alwaysSelected: ['id'],
  fields: fieldMap(MAIL_FIELDS, columns, {}),
  search: [sql`m.recipient`, sql`m.subject`],
  id: sql`m.id`,
  defaultSort: { sql: sql`m.id`, order: 'DESC' },
};

export const mailOutboxRoutes = ({ readModels, settings }: QueryContext): Route[] => [
  route(
    'get',
    '/api/mail-outbox',
    { administrator: true },
    {
      summary: 'List the mails of the outbox: waiting, kept, sent and failed ones',
      hasPast: false,
      answers: { 200: pageOf(MailView) },
      query: ListQuery,
    },
    async (request) => {
      const decryptMail = (mail: EncryptedMail): MailView =>
        mail.text === null || mail.text === undefined
          ? mail
          : { ...mail, text: unseal(settings.SESSION_SECRET, MAIL_TEXT, Buffer.from(mail.text, 'base64')) ?? null };
      const answered = await listRows<EncryptedMail, MailView>(readModels, request, () => mailList, decryptMail);
      // Links in the mails grant access to accounts: no proxy or browser may cache the answer.
      return { ...answered, headers: { ...answered.headers, 'Cache-Control': 'no-store' } };
    },
  ),
];
