/** An SMTP server on loopback that stores the received mails, or refuses mails on request. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text, with quoted-printable decoded. */
  content: string;
}

export interface MailServer {
  url: string;
  mails: ReceivedMail[];
  /** The number of refused mails. */
  refusedCount: number;
  /** The reply that refuses the next mails. If undefined, the server accepts mails. */
  refusal: { code: number; text: string } | undefined;
  stop(): Promise<void>;
}

/** Decodes quoted-printable, which mailers use for non-ASCII texts and long lines. */
const decodeQuotedPrintable = (content: string): string => {
  if (!/content-transfer-encoding: quoted-printable/i.test(content)) return content;
  const bytes = content
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
};

export async function startMailServer(): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (mailServer.refusal) {
          mailServer.refusedCount += 1;
          const { code, text } = mailServer.refusal;
          done(Object.assign(new Error(text), { responseCode: code }));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        mailServer.mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          content: decodeQuotedPrintable(Buffer.concat(chunks).toString('latin1')),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // Ignore errors of a client that disconnects within a transaction, for example because its service stops.
  server.on('error', () => undefined);
  const { port } = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    refusedCount: 0,
    refusal: undefined,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
  return mailServer;
}
