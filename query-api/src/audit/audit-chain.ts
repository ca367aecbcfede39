/**
 * Computes the hash chain of the audit log: a digest of each event, linked to the one before. Deliberately not shared with
 * the projector: the verification must not rely on the code that wrote the chain.
 */
import { createHash } from 'node:crypto';
import { type AuditEntry, auditEntry, type ProductEvent } from '@rdm/contracts';
import type { LoggedEvent } from '@rdm/platform';

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
  eventId: string;
  stream: string;
  streamRevision: number;
  type: string;
  actorId: number | null;
  apiKeyId: number | null;
  at: string;
  requestId: string;
  correlationId: string;
  causationId: string;
  sourceType: string;
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

const REASONS: Partial<Record<keyof AuditRow, string>> = {
  digest: 'The event is not the one that was recorded',
  chainHash: 'The row is not linked to the one before it',
};

const isSame = (is: unknown, should: unknown): boolean =>
  is === should || (typeof should === 'object' && canonicalJson(is) === canonicalJson(should));

/** The reason why a stored row differs from the expected one; null if it does not. */
export function difference(stored: AuditRow, expected: AuditRow): string | null {
  for (const name of Object.keys(expected) as (keyof AuditRow)[]) {
    const same =
      name === 'at' ? Date.parse(stored.at) === Date.parse(expected.at) : isSame(stored[name], expected[name]);
    if (!same) return REASONS[name] ?? `The row's ${name} does not match its event`;
  }
  return null;
}
