/** The password of an event store. The password is stored in a file, and clients send it as their connection name. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http2';
import { renewSecret } from '../../launcher/secrets.ts';

/** The format of a password: its characters need no encoding in a header or in a connection string. */
const PASSWORD = /^[\w-]{16,}$/;

/**
 * Returns the password in the file. If the file does not exist, creates it with a new password and mode 0600. Throws if
 * the content of the file is not a valid password.
 */
export function readOrCreatePassword(path: string): string {
  if (!existsSync(path)) return renewSecret(path);
  const password = readFileSync(path, 'utf8').trim();
  if (PASSWORD.test(password)) return password;
  throw new Error(`${path} must contain only a password of at least 16 letters, digits, "-" and "_"`);
}

/** Returns a function that checks in constant time whether the headers of a call contain the password. */
export function passwordCheck(password: string): (headers: IncomingHttpHeaders) => boolean {
  const expected = digest(password);
  return (headers) => timingSafeEqual(digest(String(headers['connection-name'])), expected);
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Returns the connection string for the official client. The connection name carries the password, because the client
 * sends no credentials with `tls=false`.
 */
export function connectionString(host: string, port: number, password?: string): string {
  return `esdb://${host}:${port}?tls=false${password === undefined ? '' : `&connectionName=${password}`}`;
}
