/** Computes the signed bytes of a backup's trailer, and the fingerprint of a session secret. */
import { createHmac } from 'node:crypto';
import { canonicalJson } from '@rdm/platform/event-store/audit-chain';
import type { BackupTrailer } from './format/entries.ts';

/** The signature also covers the entries, because the trailer contains the SHA-256 of each entry. */
export function signedBytes({
  signature: _,
  ...trailer
}: Omit<BackupTrailer, 'signature'> & { signature?: string }): Buffer {
  return Buffer.from(canonicalJson(trailer));
}

/** Returns a fingerprint by which a restore recognises the secret. The fingerprint does not reveal the secret. */
export const fingerprintOf = (sessionSecret: string): string =>
  createHmac('sha256', sessionSecret).update('backup').digest('hex').slice(0, 16);
