/** The bytes of a trailer that its signature covers, and the fingerprint of a session secret. */
import { createHmac } from 'node:crypto';
import { canonicalJson } from '@rdm/platform/event-store/audit-chain';
import type { BackupTrailer } from './format/entries.ts';

/** The entries are covered by their SHA-256, which the trailer contains. */
export function signedBytes({
  signature: _,
  ...trailer
}: Omit<BackupTrailer, 'signature'> & { signature?: string }): Buffer {
  return Buffer.from(canonicalJson(trailer));
}

/** By which a restore recognises the secret, without a way back to it. */
export const fingerprintOf = (sessionSecret: string): string =>
  createHmac('sha256', sessionSecret).update('backup').digest('hex').slice(0, 16);
