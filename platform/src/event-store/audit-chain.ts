/** Computes the hash chain of the audit log: each hash links the digest of an event to the previous hash. */
import { createHash, hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type WrittenRows, writtenRows } from '../postgres/written-rows.ts';

/** The hash to which the digest of the first event is linked. */
export const GENESIS = '0'.repeat(64);

export interface ChainedEvent {
  seq: number;
  stream: string;
  revision: number;
  id: string;
  type: string;
  metadata: unknown;
  data: unknown;
  /** The stored data, if an upcaster changed them. */
  stored?: unknown;
}

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;
/** Whether a value is a primitive or a list of primitives, such as a row of an import. */
const isFlat = (value: unknown): boolean => isPrimitive(value) || (Array.isArray(value) && value.every(isPrimitive));

/** Returns JSON with sorted keys and without whitespace: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (isPrimitive(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) {
    return value.every(isFlat) ? JSON.stringify(value) : `[${value.map(canonicalJson).join(',')}]`;
  }
  const object = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

const sha256 = (text: string): string => hash('sha256', text);

const digests = new WeakMap<ChainedEvent, string>();

export function digestOf(event: ChainedEvent): string {
  const cached = digests.get(event);
  if (cached !== undefined) return cached;
  const { seq, stream, revision, id, type, metadata, data, stored } = event;
  const header = [seq, stream, revision, id, type, metadata];
  const content = stored ?? data;
  const rows = writtenRows(content);
  const digest = rows ? digestOfRawRows(header, content as object, rows) : sha256(canonicalJson([...header, content]));
  digests.set(event, digest);
  return digest;
}

/** Computes the digest of an event with raw rows, whose bytes are already canonical JSON. */
function digestOfRawRows(header: readonly unknown[], data: object, { bytes, from, to }: WrittenRows): string {
  const { rows: _, ...properties } = Object.getOwnPropertyDescriptors(data) as Record<string, PropertyDescriptor>;
  const members = Object.keys(properties).filter((name) => properties[name]?.enumerable);
  const texts = (names: string[]) =>
    names.sort().map((name) => `${JSON.stringify(name)}:${canonicalJson(properties[name]?.value)}`);
  const before = texts(members.filter((name) => name < 'rows'));
  const after = texts(members.filter((name) => name > 'rows'));
  return createHash('sha256')
    .update(`[${header.map(canonicalJson).join(',')},{${[...before, '"rows":'].join(',')}`)
    .update(bytes.subarray(from, to))
    .update(`${after.map((text) => `,${text}`).join('')}}]`)
    .digest('hex');
}

/** Caches the digests of events while the caller waits for the database. */
export async function digestAhead(events: readonly ChainedEvent[]): Promise<void> {
  for (const event of events) {
    await yieldToEventLoop();
    digestOf(event);
  }
}

export const linkTo = (previous: string, digest: string): string => sha256(previous + digest);
