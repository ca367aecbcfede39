/** Computes the bytes of a trailer that its signature covers, and the fingerprint of a session secret. */
import { createHmac } from 'node:crypto';
import { canonicalJson } from '@rdm/platform/event-store/audit-chain';
import type { BackupTrailer } from './format/entries.ts';

/** Returns the signed bytes. They also cover the entries, because the trailer contains the SHA-256 of each entry. */
export function signedBytes({
  signature: _,
  ...trailer
}: Omit<BackupTrailer, 'signature'> & { signature?: string }): Buffer {
  return Buffer.from(canonicalJson(trailer));
}

/** Returns a fingerprint by which a restore recognises the secret. The secret cannot be computed from it. */
export const fingerprintOf = (sessionSecret: string): string =>
  createHmac('sha256', sessionSecret).update('backup').digest('hex').slice(0, 16);
