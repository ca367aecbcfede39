/** Creates the events of a registered purge for specs. A test key signs the manifest. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { PURGES_STREAM, type PurgedEvent, type PurgedStream, SIGNING_KEYS_STREAM, streams } from '@rdm/contracts';
import { manifestRoot, signedManifest } from '../event-store/purge-manifest.ts';
import { keyIdOf } from '../identity/signing-key.ts';

export interface TestSigningKey {
  keyId: string;
  publicKey: string;
  sign(bytes: Uint8Array): Buffer;
}

export function testSigningKey(pem?: string): TestSigningKey {
  const privateKey = pem === undefined ? generateKeyPairSync('ed25519').privateKey : createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { keyId: keyIdOf(publicKey), publicKey, sign: (bytes) => sign(null, bytes, privateKey) };
}

/** An event of a spec, with the user who caused it. */
export interface TestEvent {
  stream: string;
  type: string;
  data: unknown;
  actorId: number | null;
}

export const keyRegistered = ({ keyId, publicKey }: TestSigningKey): TestEvent => ({
  stream: SIGNING_KEYS_STREAM,
  type: 'SigningKeyRegistered',
  data: { keyId, publicKey },
  actorId: null,
});

export interface TestPurge {
  purgeId: number;
  streams: readonly PurgedStream[];
  /** The purged events, in the order of their seqs. */
  events: readonly PurgedEvent[];
  key: TestSigningKey;
  eventsPerPart?: number;
}

/** Creates the events from the request to the registration. User 1 requests the purge, and user 2 confirms it. */
export function purgeEvents({
  purgeId,
  streams: purgedStreams,
  events,
  key,
  eventsPerPart = 2,
}: TestPurge): TestEvent[] {
  const stream = streams.purge(purgeId);
  const eventOf = (type: string, data: object, actorId: number | null = null) => ({
    ...{ stream, type, actorId },
    data: { purgeId, ...data },
  });
  const root = manifestRoot(purgedStreams, events);
  const counts = { streams: purgedStreams.length, events: events.length };
  const parts = [{ streams: purgedStreams, events: [] as PurgedEvent[] }];
  for (let at = 0; at < events.length; at += eventsPerPart) {
    parts.push({ streams: [], events: events.slice(at, at + eventsPerPart) });
  }
  const signature = key.sign(signedManifest({ purgeId, ...counts, root })).toString('base64');
  const request = { kind: 'dataSets', scope: { collectionId: null }, before: '2026-01-01T00:00:00.000Z' };
  return [
    eventOf('PurgeRequested', { ...request, reason: 'retention R7', planHash: 'a', counts: {} }, 1),
    eventOf('PurgeConfirmed', {}, 2),
    ...parts.map((content, index) => eventOf('PurgeManifestPart', { part: index + 1, ...content })),
    eventOf('PurgeManifestSealed', { parts: parts.length, ...counts, root, keyId: key.keyId, signature }),
    {
      ...eventOf('PurgeRegistered', {
        events: events.length,
        firstSeq: events[0]?.seq ?? 0,
        lastSeq: events.at(-1)?.seq ?? 0,
      }),
      stream: PURGES_STREAM,
    },
  ];
}
