/** Computes the hash over the manifest of a purge, and the bytes that signatures of manifests and heads cover. */
import { createHash } from 'node:crypto';
import type { PurgedEvent, PurgedStream, SignedHead } from '@rdm/contracts';
import { canonicalJson } from './audit-chain.ts';

export const lineOf = (line: PurgedStream | PurgedEvent): string => `${canonicalJson(line)}\n`;

/**
 * Computes the root of a manifest: the SHA-256, in lower-case hex digits, over the lines of its streams and then of its
 * events. Lines are added one by one, because a manifest may be larger than the memory.
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

/** The bytes of a manifest that the key of the audit log signs. */
export const signedManifest = ({ purgeId, streams, events, root }: SignedManifest): Buffer =>
  Buffer.from(canonicalJson({ purgeId, streams, events, root }));

/** The bytes of a head that the key of the audit log signs. */
export const signedHead = ({ logId, seq, chainHash, at, keyId }: Omit<SignedHead, 'signature'>): Buffer =>
  Buffer.from(canonicalJson({ logId, seq, chainHash, at, keyId }));
