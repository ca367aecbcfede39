/** The hash over the manifest of a purge, and the bytes that signatures of manifests and heads cover. */
import { createHash } from 'node:crypto';
import type { PurgedEvent, PurgedStream, SignedHead } from '@rdm/contracts';
import { canonicalJson } from './audit-chain.ts';

/** A line of a manifest. */
export const lineOf = (line: PurgedStream | PurgedEvent): string => `${canonicalJson(line)}\n`;

/**
 * SHA-256 in lower-case hex digits over one line of JSON per stream, then one per event, both in the order of the manifest. A
 * manifest may be larger than the memory: its lines are added one by one.
 */
export function openManifestRoot(): { add(line: PurgedStream | PurgedEvent): void; digest(): string } {
  const hash = createHash('sha256');
  return {
    add(line) {
      hash.update(lineOf(line));
    },
    digest: () => hash.digest('hex'),
  };
}

export function manifestRoot(streams: Iterable<PurgedStream>, events: Iterable<PurgedEvent>): string {
  const root = openManifestRoot();
  for (const line of streams) root.add(line);
  for (const line of events) root.add(line);
  return root.digest();
}

export interface SignedManifest {
  purgeId: number;
  streams: number;
  events: number;
  root: string;
}

/** The bytes that the key of the audit log signs. */
export const signedManifest = ({ purgeId, streams, events, root }: SignedManifest): Buffer =>
  Buffer.from(canonicalJson({ purgeId, streams, events, root }));

/** The part of a head that the key signs. */
export const signedHead = ({ logId, seq, chainHash, at, keyId }: Omit<SignedHead, 'signature'>): Buffer =>
  Buffer.from(canonicalJson({ logId, seq, chainHash, at, keyId }));
