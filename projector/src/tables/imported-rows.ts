/**
 * Writes imported rows into a table in the binary format of COPY. Copies the rows from the bytes of their event,
 * because parsing them would exceed the limits of tests/bench/import.ts for time and memory (docs/decisions/0026 and
 * 0037). Parses only the rows of an event whose bytes are not known.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CellValue, canonicalKey, type InstanceEvent, isPlainText } from '@rdm/contracts';
import { endOfCell, type WrittenRows, writtenRows } from '@rdm/platform';
import { from as copyFrom } from 'pg-copy-streams';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { cleanJson, type WriteContext } from './rows.ts';

export type ImportedEvent = NumberedEvent<Extract<InstanceEvent, { type: 'InstancesImported' }>>;

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
/** PostgreSQL counts microseconds from this date. */
const EPOCH = Date.UTC(2000, 0, 1);
const WORD = 2 ** 32;

// Bytes are built as strings of characters up to 255, because JavaScript concatenates strings fast.

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
/** Version byte before the text of a jsonb value. */
const JSONB = '\x01';

/** Yields the complete input of COPY, in chunks. */
export function* encodeImportedRows(events: readonly ImportedEvent[]): Generator<Buffer> {
  yield Buffer.from(BEGIN, 'latin1');
  const raw: RawRow[] = [];
  for (const event of events) {
    const rows = writtenRows(event.data);
    if (rows) addRawRows(raw, event, rows);
    else yield* encodeParsedRows(event);
  }
  // Rows that are sorted by id take a sixth less time to index. Each event has the rows of one bucket, so the ids of
  // different events interleave.
  yield* encodeRawRows(raw.sort((one, other) => one.id - other.id));
  yield Buffer.from(END, 'latin1');
}

/** Returns the bytes that all rows of an event share: before the id, and after the values. */
function frameOf({ data, entityId, metadata, seq }: ImportedEvent): { begin: string; end: string } {
  const by = timestamp(metadata.occurredAt) + bigint(metadata.actorId);
  return { begin: COLUMNS + bigint(entityId), end: DELETED + bigint(data.jobId) + by + by + bigint(seq) };
}

function* encodeParsedRows(event: ImportedEvent): Generator<Buffer> {
  const { fieldIds, keyFieldIds, rows } = event.data;
  const { begin, end } = frameOf(event);
  const firstNames = fieldIds.map((fieldId) => `{"${fieldId}":`);
  const otherNames = fieldIds.map((fieldId) => `,"${fieldId}":`);
  // A key field without a column is empty.
  const positions = keyFieldIds.map((fieldId) => fieldIds.indexOf(fieldId) + 1 || Number.POSITIVE_INFINITY);
  let chunk = '';
  for (const row of rows) {
    let key = canonicalKey(positions.map((position) => row[position] ?? null));
    let values = '';
    let isAscii = true;
    let names = firstNames;
    for (let index = 0; index < fieldIds.length; index++) {
      const cell = row[index + 1] ?? null;
      if (cell === null) continue;
      values += names[index];
      if (isPlainText(cell)) values += `"${cell}"`;
      else if (typeof cell === 'string') {
        values += cleanJson(cell);
        isAscii = false;
      } else values += JSON.stringify(cell);
      names = otherNames;
    }
    values += names === firstNames ? '{}' : '}';
    if (!isAscii) [key, values] = [utf8(key), utf8(values)];
    chunk += begin + bigint(row[0]) + REVISION + field(key) + field(JSONB + values) + end;
    if (chunk.length < CHUNK_BYTES) continue;
    yield Buffer.from(chunk, 'latin1');
    chunk = '';
  }
  yield Buffer.from(chunk, 'latin1');
}

const [OPEN_LIST, CLOSE_LIST, OPEN, COMMA, NULL] = [...'[]{,n'].map((each) => each.charCodeAt(0)) as Five<number>;
type Five<T> = [T, T, T, T, T];

/** Copies bytes and returns the end offset; a loop is faster than a call for short cells. */
function copyBytes(target: Buffer, at: number, source: Buffer, from: number, to: number): number {
  if (to - from > 64) return at + source.copy(target, at, from, to);
  let end = at;
  for (let index = from; index < to; index++) target[end++] = source[index] as number;
  return end;
}

/** The data that all rows of an event share. */
interface RawFrame {
  bytes: Buffer;
  /** The bytes before the key of a row; the id and the length of the key are still zero. */
  head: Buffer;
  idAt: number;
  tail: Buffer;
  /** The JSON names of the fields: `{"5":` before the first value of a row, and `,"5":` before a further one. */
  firstNames: readonly Buffer[];
  otherNames: readonly Buffer[];
  /** The positions of the key's cells in a row. */
  places: readonly number[];
  /** The maximum number of bytes of a row without its cells. */
  fixedBytes: number;
}

/** A row that was not parsed. */
interface RawRow {
  id: number;
  /** Where the row begins in the bytes of its event. */
  start: number;
  frame: RawFrame;
}

/** The bytes before the values of a row; the length of the values is still zero. */
const MIDDLE = Buffer.from(int32(0) + JSONB, 'latin1');

function addRawRows(into: RawRow[], event: ImportedEvent, { bytes, ids, starts }: WrittenRows): void {
  const { fieldIds, keyFieldIds } = event.data;
  const { begin, end } = frameOf(event);
  const head = Buffer.from(begin + bigint(0) + REVISION + int32(0), 'latin1');
  const tail = Buffer.from(`}${end}`, 'latin1');
  const firstNames = fieldIds.map((fieldId) => Buffer.from(`{"${fieldId}":`));
  const otherNames = fieldIds.map((fieldId) => Buffer.from(`,"${fieldId}":`));
  const places = keyFieldIds.map((fieldId) => fieldIds.indexOf(fieldId));
  const fixedBytes = [head, MIDDLE, tail, ...firstNames].reduce(
    (sum, { length }) => sum + length,
    8 + 5 * places.length,
  );
  const idAt = (begin + int32(0)).length;
  const frame = { bytes, head, idAt, tail, firstNames, otherNames, places, fixedBytes };
  for (let index = 0; index < ids.length; index++)
    into.push({ id: ids[index] as number, start: starts[index] as number, frame });
}

/** Encodes raw rows: the bytes of their cells are copied from the log to the table. */
function* encodeRawRows(rows: readonly RawRow[]): Generator<Buffer> {
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let at = 0;
  /** Offsets of the start and end of each cell of the row. */
  const cells: number[] = [];
  for (const { id, start, frame } of rows) {
    const { bytes, head, idAt, tail, places, fixedBytes } = frame;
    let offset = start;
    do offset += 1;
    while (bytes[offset] !== COMMA && bytes[offset] !== CLOSE_LIST);
    cells.length = 0;
    while (bytes[offset] === COMMA) {
      cells.push(offset + 1);
      offset = endOfCell(bytes, offset + 1);
      cells.push(offset);
    }
    // The canonical form of a key may be longer than its cells.
    const maxBytes = fixedBytes + 4 * (offset - start);
    if (at + maxBytes > chunk.length) {
      yield chunk.subarray(0, at);
      chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, maxBytes));
      at = 0;
    }
    const keyStart = copyBytes(chunk, at, head, 0, head.length);
    chunk.writeUInt32BE(Math.floor(id / WORD), at + idAt);
    chunk.writeUInt32BE(id >>> 0, at + idAt + 4);
    at = writeKey(chunk, keyStart, bytes, cells, places);
    chunk.writeInt32BE(at - keyStart, keyStart - 4);
    const valuesStart = copyBytes(chunk, at, MIDDLE, 0, MIDDLE.length) - JSONB.length;
    at = valuesStart + JSONB.length;
    let names = frame.firstNames;
    for (let index = 0; index < names.length && 2 * index < cells.length; index++) {
      const cell = cells[2 * index] as number;
      if (bytes[cell] === NULL) continue;
      const name = names[index] as Buffer;
      at = copyBytes(chunk, at, name, 0, name.length);
      at = copyBytes(chunk, at, bytes, cell, cells[2 * index + 1] as number);
      names = frame.otherNames;
    }
    if (names === frame.firstNames) chunk[at++] = OPEN;
    chunk.writeInt32BE(at + 1 - valuesStart, valuesStart - 4);
    at = copyBytes(chunk, at, tail, 0, tail.length);
  }
  yield chunk.subarray(0, at);
}

/** Writes the key of a row and returns its end offset. ASCII text is already in canonical form. */
function writeKey(
  target: Buffer,
  at: number,
  bytes: Buffer,
  cells: readonly number[],
  places: readonly number[],
): number {
  let end = at;
  let isAscii = true;
  for (const place of places) {
    target[end] = end === at ? OPEN_LIST : COMMA;
    const [cell, cellEnd] = [cells[2 * place], cells[2 * place + 1]];
    const begin = end + 1;
    end =
      cell === undefined
        ? begin + target.write('null', begin)
        : copyBytes(target, begin, bytes, cell, cellEnd as number);
    for (let index = begin; index < end; index++) if ((target[index] as number) > 127) isAscii = false;
  }
  target[end] = CLOSE_LIST;
  if (isAscii) return end + 1;
  return at + target.write(canonicalKey(JSON.parse(target.toString('utf8', at, end + 1)) as CellValue[]), at);
}

/** Copies the rows of events into a table of instances. */
export async function copyImported(
  { client, schema }: WriteContext,
  table: string,
  events: readonly ImportedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const into = `COPY ${schema}.${table} (${importedColumns.join(', ')}) FROM STDIN (FORMAT binary)`;
  await pipeline(Readable.from(encodeImportedRows(events)), client.query(copyFrom(into)));
}
