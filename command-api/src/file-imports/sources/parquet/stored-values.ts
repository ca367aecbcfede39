/** Decodes the values of a Parquet page: plain values and runs one at a time, all values of other encodings at once. */
import { Refusal } from '@rdm/contracts';
import type { Encoding, SchemaElement } from 'hyparquet';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import type { StoredValue } from './cell-texts.ts';

/** Returns the next value; can throw if the bytes are damaged. */
export type NextValue<Value> = () => Value;

/** Reads numbers that are stored in runs. A run repeats one number, or packs numbers of `width` bits. */
export function runsOf(bytes: Buffer, width: number): NextValue<number> {
  let at = 0;
  let left = 0;
  let repeated: number | undefined;
  let bit = 0;
  const beginRun = () => {
    let [header, shift, byte] = [0, 0, 0];
    do {
      byte = bytes.readUInt8(at++);
      header += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte > 127);
    const size = Math.floor(header / 2);
    if (size === 0) throw new RangeError('A run is empty');
    if (header % 2 === 1) {
      [left, repeated, bit] = [size * 8, undefined, at * 8];
      at += size * width;
    } else {
      const length = Math.ceil(width / 8);
      [left, repeated] = [size, length === 0 ? 0 : bytes.readUIntLE(at, length)];
      at += length;
    }
  };
  return () => {
    if (left === 0) beginRun();
    left -= 1;
    if (repeated !== undefined) return repeated;
    const [first, shift] = [Math.floor(bit / 8), bit % 8];
    bit += width;
    let raw = 0;
    for (let index = Math.ceil((shift + width) / 8) - 1; index >= 0; index--) {
      raw = raw * 256 + (bytes[first + index] ?? 0);
    }
    return Math.floor(raw / 2 ** shift) % 2 ** width;
  };
}

/** Reads values in the encoding PLAIN. */
export function plainValues(bytes: Buffer, { type, type_length = 0 }: SchemaElement): NextValue<StoredValue> {
  let at = 0;
  const move = (length: number) => {
    if (at + length > bytes.length) throw new RangeError('The page ends within a value');
    at += length;
    return at - length;
  };
  const part = (length: number) => {
    const from = move(length);
    return bytes.subarray(from, from + length);
  };
  switch (type) {
    case 'BOOLEAN': {
      let bit = 0;
      return () => {
        const value = (bytes.readUInt8(bit >> 3) >> (bit & 7)) & 1;
        bit += 1;
        return value === 1;
      };
    }
    case 'INT32':
      return () => bytes.readInt32LE(move(4));
    case 'INT64':
      return () => bytes.readBigInt64LE(move(8));
    case 'INT96':
      return () => part(12);
    case 'FLOAT':
      return () => bytes.readFloatLE(move(4));
    case 'DOUBLE':
      return () => bytes.readDoubleLE(move(8));
    case 'FIXED_LEN_BYTE_ARRAY':
      return () => part(type_length);
    default:
      return () => part(bytes.readUInt32LE(move(4)));
  }
}

/** The maximum number of values in a page whose encoding requires that all values are decoded at once. */
const DECODED_MAX = 1_000_000;

/** Reads a page without a dictionary. `countValues` returns the number of values that are not missing. */
export function encodedValues(
  bytes: Buffer,
  encoding: Encoding,
  element: SchemaElement,
  countValues: () => number,
): NextValue<StoredValue> {
  if (encoding === 'PLAIN') return plainValues(bytes, element);
  if (encoding === 'RLE' && element.type === 'BOOLEAN') {
    // The runs follow their length.
    const next = runsOf(bytes.subarray(4, 4 + bytes.readUInt32LE(0)), 1);
    return () => next() === 1;
  }
  const count = countValues();
  if (count > DECODED_MAX) {
    throw new Refusal('TOO_LARGE', 'The Parquet file has too many values in one page: write it with smaller pages.');
  }
  const decoded = decodedValues(bytes, encoding, element, count);
  let at = 0;
  return () => {
    const value = decoded[at++] as StoredValue | Uint8Array | undefined;
    if (value === undefined) throw new RangeError('The page ends early');
    return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value;
  };
}

function decodedValues(
  bytes: Buffer,
  encoding: Encoding,
  { type, type_length }: SchemaElement,
  count: number,
): ArrayLike<unknown> {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  switch (encoding) {
    case 'DELTA_BINARY_PACKED': {
      const integers = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      deltaBinaryUnpack(reader, count, integers);
      return integers;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY': {
      const parts = new Array<Uint8Array>(count);
      (encoding === 'DELTA_BYTE_ARRAY' ? deltaByteArray : deltaLengthByteArray)(reader, count, parts);
      return parts;
    }
    case 'BYTE_STREAM_SPLIT':
      if (type) return byteStreamSplit(reader, count, type, type_length);
      break;
  }
  throw new Refusal(
    'UNSUPPORTED_MEDIA',
    `The Parquet file has the encoding ${encoding}, which is not supported: write it with the encoding PLAIN.`,
  );
}
