/** Tokens for downloads. A token lets one session download one file for five minutes, and is not stored. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const MINUTES = 5;

export interface Download {
  /** The file, such as `backup 12`. */
  subject: string;
  sessionId: string;
}

const mac = (secret: string, { subject, sessionId }: Download, until: string): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['download', subject, sessionId, until]))
    .digest();

/** Returns `<expiry>.<mac>`, with the expiry in milliseconds like `now`. */
export function downloadToken(secret: string, download: Download, now: number): string {
  const until = String(now + MINUTES * 60_000);
  return `${until}.${mac(secret, download, until).toString('base64url')}`;
}

export function isDownloadToken(secret: string, download: Download, token: string, now: number): boolean {
  const [until = '', encodedMac = ''] = token.split('.');
  const expectedMac = mac(secret, download, until);
  const receivedMac = Buffer.from(encodedMac, 'base64url');
  const isGenuine = receivedMac.length === expectedMac.length && timingSafeEqual(receivedMac, expectedMac);
  return isGenuine && Number(until) > now;
}
