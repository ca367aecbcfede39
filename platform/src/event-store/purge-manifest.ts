/** Computes the root hash of a purge manifest, and the bytes to sign for a manifest or a head of the audit log. */
import { createHash } from 'node:crypto';
import type { PurgedEvent, PurgedStream, SignedHead } from '@rdm/contracts';
import { canonicalJson } from './audit-chain.ts';

export const lineOf = (entry: PurgedStream | PurgedEvent): string => `${canonicalJson(entry)}\n`;

/**
 * Computes the root of a manifest: the SHA-256, in lower-case hex digits, over the lines of its streams and then of its
 * events. The caller adds them one by one, because a manifest can be larger than the memory.
 */
export function openManifestRoot(): { add(entry: PurgedStream | PurgedEvent): void; digest(): string } {
  const hash = createHash('sha256');
  return {
    add(entry) {
      hash.update(lineOf(entry));
    },
    digest: () => hash.digest('hex'),
  };
}

export function manifestRoot(streams: Iterable<PurgedStream>, events: Iterable<PurgedEvent>): string {
  const root = openManifestRoot();
  for (const stream of streams) root.add(stream);
  for (const event of events) root.add(event);
  return root.digest();
}

export interface SignedManifest {
  purgeId: number;
  streams: number;
  events: number;
  root: string;
}

/** Returns the bytes to sign for a manifest. */
export const signedManifest = ({ purgeId, streams, events, root }: SignedManifest): Buffer =>
  Buffer.from(canonicalJson({ purgeId, streams, events, root }));

/** Returns the bytes to sign for a head of the audit log. */
export const signedHead = ({ logId, seq, chainHash, at, keyId }: Omit<SignedHead, 'signature'>): Buffer =>
  Buffer.from(canonicalJson({ logId, seq, chainHash, at, keyId }));
