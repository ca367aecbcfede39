/** The hash over the manifest of a purge, and the bytes that signatures of manifests and heads cover. */
import { createHash } from 'node:crypto';
import type { PurgedEvent, PurgedStream, SignedHead } from '@rdm/contracts';
import { canonicalJson } from './audit-chain.ts';

/** A line of a manifest. */
export const lineOf = (line: PurgedStream | PurgedEvent): string => `${canonicalJson(line)}\n`;

/** SHA-256 in lower-case hex digits over one line of JSON per stream, then one per event, both in the order of the manifest. */
export function manifestRoot(streams: Iterable<PurgedStream>, events: Iterable<PurgedEvent>): string {
  const hash = createHash('sha256');
  for (const line of streams) hash.update(lineOf(line));
  for (const line of events) hash.update(lineOf(line));
  return hash.digest('hex');
}

export interface SignedManifest {
  purgeId: number;
  streams: number;
  events: number;
  root: string;
}

/** What the key of the audit log signs. */
export const signedManifest = ({ purgeId, streams, events, root }: SignedManifest): Buffer =>
  Buffer.from(canonicalJson({ purgeId, streams, events, root }));

/** What the key signs of a head. */
export const signedHead = ({ logId, seq, chainHash, at, keyId }: Omit<SignedHead, 'signature'>): Buffer =>
  Buffer.from(canonicalJson({ logId, seq, chainHash, at, keyId }));
