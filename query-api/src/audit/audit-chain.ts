/**
 * Computes the hash chain of the audit log: a digest of each event, linked to the one before. Deliberately not shared with
 * the projector: the verification must not rely on the code that wrote the chain.
 */
import { createHash } from 'node:crypto';
import { type AuditEntry, auditEntry, otherDigest, type ProductEvent } from '@rdm/contracts';
import type { LoggedEvent, PurgedStub } from '@rdm/platform';

/** The link before the first event. */
export const GENESIS = '0'.repeat(64);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON with sorted keys and no white space: one text for one value. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = value as Record<string, unknown>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name])}`)
    .join(',')}}`;
}

export const digestOf = ({ stream, revision, id, type, metadata, data, stored }: LoggedEvent, seq: number): string =>
  sha256(canonicalJson([seq, stream, revision, id, type, metadata, stored ?? data]));

export const linkTo = (previous: string, digest: string): string => sha256(previous + digest);

/** A stored audit row, as verification reads it. */
export interface AuditRow extends AuditEntry {
  seq: number;
  /** The purge that deleted the event. Null in all columns but type, actor, instant and hashes then. */
  purgeId: number | null;
  eventId: string | null;
  stream: string | null;
  streamRevision: number | null;
  type: string;
  actorId: number | null;
  apiKeyId: number | null;
  at: string;
  requestId: string | null;
  correlationId: string | null;
  causationId: string | null;
  sourceType: string | null;
  dataSetIds: number[];
  digest: string;
  chainHash: string;
}

/** The audit row that an event should have, linked to the previous one. */
export function expectedRow(event: LoggedEvent, seq: number, previous: string): AuditRow {
  const { metadata } = event;
  const digest = digestOf(event, seq);
  return {
    ...auditEntry(event.stream, event as unknown as ProductEvent),
    seq,
    purgeId: null,
    eventId: event.id,
    stream: event.stream,
    streamRevision: event.revision,
    type: event.type,
    actorId: metadata.actorId,
    apiKeyId: metadata.apiKeyId ?? null,
    at: metadata.occurredAt,
    requestId: metadata.requestId,
    correlationId: metadata.$correlationId,
    causationId: metadata.$causationId,
    sourceType: metadata.sourceType,
    dataSetIds: metadata.dataSetIds,
    digest,
    chainHash: linkTo(previous, digest),
  };
}

const isSame = (is: unknown, should: unknown): boolean =>
  is === should || (typeof should === 'object' && canonicalJson(is) === canonicalJson(should));

const isSameInstant = (is: string, should: string): boolean => Date.parse(is) === Date.parse(should);

const UNLINKED = 'The row is not linked to the one before it';
const unlike = (name: string) => `The row's ${name} does not match its event`;

/** The reason why a stored row differs from the expected one; null if it does not. */
export function difference(stored: AuditRow, expected: AuditRow): string | null {
  if (stored.digest !== expected.digest) return otherDigest(expected.seq);
  if (stored.chainHash !== expected.chainHash) return UNLINKED;
  for (const name of Object.keys(expected) as (keyof AuditRow)[]) {
    const same = name === 'at' ? isSameInstant(stored.at, expected.at) : isSame(stored[name], expected[name]);
    if (!same) return unlike(name);
  }
  return null;
}

/**
 * The same for the row of a purged event. Until the read model was rebuilt, the row has the content that the event had: only
 * what the manifest keeps can be compared.
 */
export function differenceFromStub(stored: AuditRow, stub: PurgedStub, previous: string): string | null {
  if (stored.digest !== stub.digest) return otherDigest(stub.seq);
  if (stored.chainHash !== linkTo(previous, stub.digest)) return UNLINKED;
  if (stored.purgeId !== null && stored.purgeId !== stub.purgeId) return unlike('purgeId');
  if (stored.type !== stub.type) return unlike('type');
  if (stored.actorId !== stub.actorId) return unlike('actorId');
  return isSameInstant(stored.at, stub.at) ? null : unlike('at');
}
