/** The hash over the manifest of a purge, and the bytes that its signature covers. */
import { createHash } from 'node:crypto';
import type { PurgedEvent, PurgedStream } from '@rdm/contracts';
import { canonicalJson } from './audit-chain.ts';

/**
 * SHA-256 in lower-case hex digits over one line of JSON per stream, then one per event, both in the order of the manifest. A
 * manifest may be larger than the memory: its lines are added one by one.
 */
export function openManifestRoot(): { add(line: PurgedStream | PurgedEvent): void; digest(): string } {
  const hash = createHash('sha256');
  return {
    add(line) {
      hash.update(`${canonicalJson(line)}\n`);
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

/** What the key of the audit log signs. */
export const signedManifest = ({ purgeId, streams, events, root }: SignedManifest): Buffer =>
  Buffer.from(canonicalJson({ purgeId, streams, events, root }));
