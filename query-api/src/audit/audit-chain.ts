/**
 * Computes the hash chain of the audit log: each chain hash covers the digest of an event and the previous chain hash.
 * This file shares no code with `audit-chain.ts` of platform, which the projector uses, so that the verification does
 * not rely on the code that wrote the chain.
 */
import { createHash } from 'node:crypto';
import { type AuditEntry, auditEntry, digestMismatchReason, type ProductEvent } from '@rdm/contracts';
import type { LoggedEvent, PurgedEntry } from '@rdm/platform';

/** The chain hash before the first event. */
export const GENESIS = '0'.repeat(64);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns JSON with sorted keys and without white space: equal values have equal texts. */
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

/** A stored audit row in the form that the verification reads. */
export interface AuditRow extends AuditEntry {
  seq: number;
  /** The purge that deleted the event; null without a purge, and until a rebuild removes the event's data. */
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

/** Returns the audit row that an event should have; `previous` is the chain hash of the row before it. */
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

const isSame = (actual: unknown, expected: unknown): boolean =>
  actual === expected || (typeof expected === 'object' && canonicalJson(actual) === canonicalJson(expected));

const isSameInstant = (actual: string, expected: string): boolean => Date.parse(actual) === Date.parse(expected);

const UNLINKED = 'The row is not linked to the one before it';
const mismatchOf = (name: string) => `The row's ${name} does not match its event`;

/** Returns how a stored row differs from the expected one; null if they are equal. */
export function difference(stored: AuditRow, expected: AuditRow): string | null {
  if (stored.digest !== expected.digest) return digestMismatchReason(expected.seq);
  if (stored.chainHash !== expected.chainHash) return UNLINKED;
  for (const name of Object.keys(expected) as (keyof AuditRow)[]) {
    const isEqual = name === 'at' ? isSameInstant(stored.at, expected.at) : isSame(stored[name], expected[name]);
    if (!isEqual) return mismatchOf(name);
  }
  return null;
}

/**
 * Returns how the row of a purged event differs from the manifest entry; null if there is no difference. Compares only
 * the columns of the manifest, because the row contains the data of the event until a rebuild.
 */
export function differenceFromEntry(stored: AuditRow, entry: PurgedEntry, previous: string): string | null {
  if (stored.digest !== entry.digest) return digestMismatchReason(entry.seq);
  if (stored.chainHash !== linkTo(previous, entry.digest)) return UNLINKED;
  if (stored.purgeId !== null && stored.purgeId !== entry.purgeId) return mismatchOf('purgeId');
  if (stored.type !== entry.type) return mismatchOf('type');
  if (stored.actorId !== entry.actorId) return mismatchOf('actorId');
  return isSameInstant(stored.at, entry.at) ? null : mismatchOf('at');
}
