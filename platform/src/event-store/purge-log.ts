/** Reads and verifies the manifest of a purge: the events of `purge-<id>` up to its seal. */
import { createHash } from 'node:crypto';
import {
  PURGES_STREAM,
  type PurgedEvent,
  type PurgeEvent,
  type RecordedEvent,
  SIGNING_KEYS_STREAM,
  type SigningKeyEvent,
  streams,
} from '@rdm/contracts';
import { keyIdOf, verify } from '../identity/signing-key.ts';
import type { EventStore } from './event-store.ts';
import { lineOf, signedManifest } from './purge-manifest.ts';

type ReadableStore = Pick<EventStore, 'read'>;

/** The place of a manifest part in the log, to read its events again when needed. */
export interface ManifestPart {
  purgeId: number;
  /** The revision of the part in the stream `purge-<id>`. */
  revision: number;
  firstSeq: number;
  lastSeq: number;
}

/** A verified manifest without its events. */
export interface PurgeManifest {
  purgeId: number;
  /** The revisions of the last events of the purged streams, by stream. */
  streams: ReadonlyMap<string, number>;
  events: number;
  root: string;
  /** The SHA-256 over the lines of the events. The root covers these lines and those of the streams. */
  eventsHash: string;
  keyId: string;
  parts: readonly ManifestPart[];
  sealedAt: string;
  requestedBy: number | null;
  confirmedBy: number | null;
  reason: string;
}

/** Thrown for a missing or invalid manifest: the log cannot be numbered. The message ends without a full stop. */
export class InvalidManifest extends Error {
  readonly purgeId: number;
  constructor(purgeId: number, problem: string, cause?: unknown) {
    super(`Purge ${purgeId}: ${problem}`, { cause });
    this.name = 'InvalidManifest';
    this.purgeId = purgeId;
  }
}

/** Reads the public keys in the log, by key id. */
export async function readSigningKeys(store: ReadableStore): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for await (const { type, data } of store.read(SIGNING_KEYS_STREAM)) {
    const { keyId, publicKey } = data as SigningKeyEvent['data'];
    if (type === 'SigningKeyRegistered') keys.set(keyId, publicKey);
  }
  return keys;
}

/** The registration of a purge, with its position in the log. */
export type RegisteredPurge = Extract<PurgeEvent, { type: 'PurgeRegistered' }>['data'] & { position: bigint };

/** Reads the registered purges, whose manifests are sealed, by id. */
export async function readRegisteredPurges(store: ReadableStore): Promise<Map<number, RegisteredPurge>> {
  const purges = new Map<number, RegisteredPurge>();
  for await (const { type, data, position } of store.read(PURGES_STREAM)) {
    if (type !== 'PurgeRegistered') continue;
    const registered = data as Omit<RegisteredPurge, 'position'>;
    purges.set(registered.purgeId, { ...registered, position });
  }
  return purges;
}

/** Reads a manifest. Throws InvalidManifest if it is missing, incomplete, altered, or not signed by one of the keys. */
export async function readManifest(
  store: ReadableStore,
  purgeId: number,
  keys: ReadonlyMap<string, string>,
): Promise<PurgeManifest> {
  const reader = new ManifestReader(purgeId, keys);
  for await (const event of store.read(streams.purge(purgeId))) {
    const manifest = reader.add(event);
    if (manifest) return manifest;
  }
  throw new InvalidManifest(purgeId, 'no manifest');
}

/** Verifies a manifest event by event. To save memory, it does not store the purged events. */
export class ManifestReader {
  readonly #purgeId: number;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #hash = createHash('sha256');
  readonly #eventsHash = createHash('sha256');
  readonly #streams = new Map<string, number>();
  readonly #parts: ManifestPart[] = [];
  #partCount = 0;
  #events = 0;
  #lastSeq = 0;
  #requestedBy: number | null = null;
  #confirmedBy: number | null = null;
  #reason = '';

  constructor(purgeId: number, keys: ReadonlyMap<string, string>) {
    this.#purgeId = purgeId;
    this.#keys = keys;
  }

  /** Takes the events of `purge-<id>` in order. Returns the manifest at its seal. Throws InvalidManifest. */
  add(recorded: Pick<RecordedEvent, 'type' | 'data' | 'metadata' | 'revision'>): PurgeManifest | undefined {
    const event = recorded as unknown as PurgeEvent & Pick<RecordedEvent, 'metadata' | 'revision'>;
    switch (event.type) {
      case 'PurgeRequested':
        this.#requestedBy = event.metadata.actorId;
        this.#reason = event.data.reason;
        return undefined;
      case 'PurgeConfirmed':
        this.#confirmedBy = event.metadata.actorId;
        return undefined;
      case 'PurgeManifestPart':
        this.#addPart(event.data, event.revision);
        return undefined;
      case 'PurgeManifestSealed':
        return this.#seal(event.data, event.metadata.occurredAt);
      default:
        return undefined;
    }
  }

  #addPart({ streams: purged, events }: Extract<PurgeEvent, { type: 'PurgeManifestPart' }>['data'], revision: number) {
    this.#partCount += 1;
    if (purged.length > 0 && this.#events > 0) throw this.#invalid('a stream follows the events of its manifest');
    for (const line of purged) {
      this.#hash.update(lineOf(line));
      this.#streams.set(line.stream, line.revision);
    }
    for (const line of events) {
      if (line.seq <= this.#lastSeq) throw this.#invalid(`event ${line.seq} is out of order in its manifest`);
      this.#lastSeq = line.seq;
      const text = lineOf(line);
      this.#hash.update(text);
      this.#eventsHash.update(text);
    }
    this.#events += events.length;
    const first = events[0];
    if (first) {
      this.#parts.push({ purgeId: this.#purgeId, revision, firstSeq: first.seq, lastSeq: this.#lastSeq });
    }
  }

  #seal(
    sealed: Extract<PurgeEvent, { type: 'PurgeManifestSealed' }>['data'],
    sealedAt: string,
  ): PurgeManifest | undefined {
    const purgeId = this.#purgeId;
    const events = this.#events;
    const root = this.#hash.digest('hex');
    const isWhole =
      sealed.parts === this.#partCount && sealed.streams === this.#streams.size && sealed.events === events;
    if (!isWhole) throw this.#invalid('its manifest is incomplete');
    if (sealed.root !== root) throw this.#invalid('its manifest was altered');
    const key = this.#keys.get(sealed.keyId);
    if (key === undefined) throw this.#invalid('unknown signature');
    const signed = signedManifest({ purgeId, streams: this.#streams.size, events, root });
    if (!isSigned(signed, sealed.signature, sealed.keyId, key)) throw this.#invalid('wrong signature');
    return {
      purgeId,
      streams: this.#streams,
      events,
      root,
      eventsHash: this.#eventsHash.digest('hex'),
      keyId: sealed.keyId,
      parts: this.#parts,
      sealedAt,
      requestedBy: this.#requestedBy,
      confirmedBy: this.#confirmedBy,
      reason: this.#reason,
    };
  }

  #invalid(problem: string): InvalidManifest {
    return new InvalidManifest(this.#purgeId, problem);
  }
}

/** Whether the key has this id and made this base64 signature. */
export function isSigned(bytes: Uint8Array, signature: string, keyId: string, publicKey: string): boolean {
  try {
    return keyIdOf(publicKey) === keyId && verify(bytes, Buffer.from(signature, 'base64'), publicKey);
  } catch {
    // The registered text is not a key.
    return false;
  }
}

/** Reads the events of one part of a verified manifest. */
export async function readPart(
  store: ReadableStore,
  { purgeId, revision }: ManifestPart,
): Promise<readonly PurgedEvent[]> {
  for await (const { type, data } of store.read(streams.purge(purgeId), revision, 1)) {
    if (type === 'PurgeManifestPart') return (data as { events: PurgedEvent[] }).events;
  }
  throw new InvalidManifest(purgeId, `its part at revision ${revision} is gone`);
}
