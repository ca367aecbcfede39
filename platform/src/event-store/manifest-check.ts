/**
 * Checks the purges in a copy of the log, such as a backup or an export, in one pass. In the copy, the entries that
 * replace purged events come before the manifests that prove the purges.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  PURGES_STREAM,
  parseStream,
  type RecordedEvent,
  SIGNING_KEYS_STREAM,
  type SigningKeyEvent,
} from '@rdm/contracts';
import { InvalidManifest, ManifestReader, type PurgeManifest } from './purge-log.ts';
import { lineOf } from './purge-manifest.ts';
import type { PurgedEntry } from './purged-events.ts';

type StreamEvent = Pick<RecordedEvent, 'stream' | 'type' | 'data' | 'metadata' | 'revision'>;

/** The entries of one purge in the copy. */
interface Entries {
  hash: Hash;
  firstSeq: number;
}

/** A purge whose entries no valid manifest proves. `seq` is that of the first entry, or of the registration if none. */
export interface UnprovedPurge {
  purgeId: number;
  seq: number;
  /** Why the manifest does not prove the entries; undefined if the copy does not register the purge. */
  problem: string | undefined;
  /** Whether the manifest is valid, but lists other events or digests than the copy. */
  namesOtherEvents: boolean;
}

export class ManifestCheck {
  readonly #keys: Map<string, string>;
  readonly #entries = new Map<number, Entries>();
  readonly #readers = new Map<number, ManifestReader>();
  readonly #sealed = new Map<number, PurgeManifest>();
  readonly #invalid = new Map<number, InvalidManifest>();
  /** The seqs of the registrations, by the id of the purge. */
  readonly registered = new Map<number, number>();

  /** `keys` are trusted public keys by id. The check also trusts keys that the log registers before a seal. */
  constructor(keys: ReadonlyMap<string, string> = new Map()) {
    this.#keys = new Map(keys);
  }

  addEntry({ purgeId, ...line }: PurgedEntry): void {
    const existing = this.#entries.get(purgeId);
    const entries = existing ?? { hash: createHash('sha256'), firstSeq: line.seq };
    entries.hash.update(lineOf(line));
    if (!existing) this.#entries.set(purgeId, entries);
  }

  /** Takes an event of the copy. Ignores events that are not about keys or purges. */
  addEvent(event: StreamEvent, seq: number): void {
    if (event.stream === SIGNING_KEYS_STREAM && event.type === 'SigningKeyRegistered') {
      const { keyId, publicKey } = event.data as SigningKeyEvent['data'];
      if (!this.#keys.has(keyId)) this.#keys.set(keyId, publicKey);
    } else if (event.stream === PURGES_STREAM && event.type === 'PurgeRegistered') {
      this.registered.set((event.data as { purgeId: number }).purgeId, seq);
    } else if (event.stream.startsWith('purge-')) {
      this.#addToManifest(parseStream(event.stream).id, event);
    }
  }

  /** The complete and signed manifests of registered purges. */
  get manifests(): PurgeManifest[] {
    return [...this.registered.keys()].flatMap((purgeId) => this.#sealed.get(purgeId) ?? []);
  }

  /** Returns the unproved purges, in the order of `seq`. Call this once, at the end of the copy: it ends the hashes. */
  unproved(): UnprovedPurge[] {
    const purges: UnprovedPurge[] = [];
    for (const purgeId of new Set([...this.#entries.keys(), ...this.registered.keys()])) {
      const entries = this.#entries.get(purgeId);
      const seq = entries?.firstSeq ?? (this.registered.get(purgeId) as number);
      if (!this.registered.has(purgeId)) purges.push({ purgeId, seq, problem: undefined, namesOtherEvents: false });
      else {
        const problem = this.#problemOf(purgeId);
        const hash = (entries?.hash ?? createHash('sha256')).digest('hex');
        const namesOtherEvents = problem === undefined && this.#sealed.get(purgeId)?.eventsHash !== hash;
        if (problem !== undefined || namesOtherEvents)
          purges.push({ purgeId, seq, problem: problem ?? otherEventsMessage(purgeId), namesOtherEvents });
      }
    }
    return purges.sort((a, b) => a.seq - b.seq);
  }

  #problemOf(purgeId: number): string | undefined {
    const invalid = this.#invalid.get(purgeId);
    if (invalid) return invalid.message;
    return this.#sealed.has(purgeId) ? undefined : new InvalidManifest(purgeId, 'no manifest').message;
  }

  #addToManifest(purgeId: number, event: StreamEvent): void {
    if (this.#sealed.has(purgeId) || this.#invalid.has(purgeId)) return;
    const reader = this.#readers.get(purgeId) ?? new ManifestReader(purgeId, this.#keys);
    this.#readers.set(purgeId, reader);
    try {
      const manifest = reader.add(event);
      if (manifest) this.#sealed.set(purgeId, manifest);
    } catch (error) {
      if (!(error instanceof InvalidManifest)) throw error;
      this.#invalid.set(purgeId, error);
    }
  }
}

const otherEventsMessage = (purgeId: number): string =>
  new InvalidManifest(purgeId, 'its manifest names other events').message;
