/** Rows of imports on their way into the table: COPY's binary form is written straight from the event, no row is an object. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { canonicalKey, type InstanceEvent, isPlainText } from '@rdm/contracts';
import { from as copyFrom } from 'pg-copy-streams';
import type { Numbered } from './numbered-event.ts';
import { cleanJson, type Writing } from './rows.ts';

export type Imported = Numbered<Extract<InstanceEvent, { type: 'InstancesImported' }>>;

/** Columns of the table, in the order in which they are written. */
export const importedColumns = [
  'data_set_id',
  'id',
  'revision',
  'key',
  'data',
  'deleted',
  'job_id',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'valid_from',
] as const;

const CHUNK_BYTES = 64 * 1024;
/** PostgreSQL counts its microseconds from here. */
const EPOCH = Date.UTC(2000, 0, 1);
const WORD = 2 ** 32;

// What follows builds bytes as a string of characters up to 255: joining those is what JavaScript does fast.

const int32 = (value: number): string =>
  String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const int64 = (value: number): string => int32(Math.floor(value / WORD)) + int32(value >>> 0);
const field = (bytes: string): string => int32(bytes.length) + bytes;
const bigint = (value: number | null): string => (value === null ? int32(-1) : field(int64(value)));
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

function timestamp(instant: string): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) throw new Error(`${instant} is no instant`);
  return bigint((at - EPOCH) * 1_000);
}

const BEGIN = `PGCOPY\n\xff\r\n\0${int32(0)}${int32(0)}`;
const COLUMNS = int32(importedColumns.length).slice(2);
const END = '\xff\xff';
const REVISION = field(int32(1));
const DELETED = field('\0');
/** What jsonb's text begins with. */
const JSONB = '\x01';

/** COPY's whole input, in chunks. */
export function* importedBytes(events: readonly Imported[]): Generator<Buffer> {
  let chunk = BEGIN;
  for (const { data, entityId, metadata, seq } of events) {
    const { fieldIds, keyFieldIds, jobId, rows } = data;
    const begin = COLUMNS + bigint(entityId);
    const by = timestamp(metadata.occurredAt) + bigint(metadata.actorId);
    const end = DELETED + bigint(jobId) + by + by + bigint(seq);
    const first = fieldIds.map((fieldId) => `{"${fieldId}":`);
    const later = fieldIds.map((fieldId) => `,"${fieldId}":`);
    // A field that no column fills is empty.
    const places = keyFieldIds.map((fieldId) => fieldIds.indexOf(fieldId) + 1 || Number.POSITIVE_INFINITY);
    for (const row of rows) {
      let key = canonicalKey(places.map((place) => row[place] ?? null));
      let values = '';
      let isAscii = true;
      let names = first;
      for (let index = 0; index < fieldIds.length; index++) {
        const cell = row[index + 1] ?? null;
        if (cell === null) continue;
        values += names[index];
        if (isPlainText(cell)) values += `"${cell}"`;
        else if (typeof cell === 'string') {
          values += cleanJson(cell);
          isAscii = false;
        } else values += JSON.stringify(cell);
        names = later;
      }
      values += names === first ? '{}' : '}';
      if (!isAscii) [key, values] = [utf8(key), utf8(values)];
      chunk += begin + bigint(row[0]) + REVISION + field(key) + field(JSONB + values) + end;
      if (chunk.length < CHUNK_BYTES) continue;
      yield Buffer.from(chunk, 'latin1');
      chunk = '';
    }
  }
  yield Buffer.from(chunk + END, 'latin1');
}

/** Copies the rows of events into a table of instances. */
export async function copyImported(
  { client, schema }: Writing,
  table: string,
  events: readonly Imported[],
): Promise<void> {
  if (events.length === 0) return;
  const into = `COPY ${schema}.${table} (${importedColumns.join(', ')}) FROM STDIN (FORMAT binary)`;
  await pipeline(Readable.from(importedBytes(events)), client.query(copyFrom(into)));
}
