/** Writes the values of a Parquet column as texts of typed cells. */

import type { CellKind } from '@rdm/contracts';
import { Refusal } from '@rdm/contracts';
import type { SchemaElement, TimeUnit } from 'hyparquet';

export type StoredValue = boolean | number | bigint | Buffer;

/** A cell. Each character of `text` stands for one byte of the cell's text in UTF-8. */
export interface CellText {
  text: string;
  kind: CellKind | undefined;
}

export type CellTextOf = (value: never) => CellText;

/** Returns the function that writes the values of a column; undefined for binary data, which is not imported. */
export function cellTextOf(element: SchemaElement): CellTextOf | undefined {
  const { type, type_length, converted_type: converted, logical_type: logical } = element;
  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') return decimals(element);
  switch (type) {
    case 'BOOLEAN':
      return (value: boolean) => ({ text: String(value), kind: 'boolean' });
    case 'INT32':
    case 'INT64':
      return integers(element);
    case 'INT96':
      // An INT96 has eight bytes with the nanoseconds of the day, and four bytes with the Julian day.
      return (value: Buffer) =>
        timestamp(
          BigInt(value.readInt32LE(8) - JULIAN_DAY_OF_1970) * NANOSECONDS_PER_DAY + value.readBigInt64LE(0),
          'NANOS',
          '',
        );
    case 'FLOAT':
      return (value: number) => number(shortestSingle(value));
    case 'DOUBLE':
      return number;
    case 'FIXED_LEN_BYTE_ARRAY':
      if (logical?.type === 'UUID') return (value: Buffer) => text(uuid(value));
      return logical?.type === 'FLOAT16' && type_length === 2 ? (value: Buffer) => number(halfOf(value)) : undefined;
    case 'BYTE_ARRAY':
      if (converted === 'BSON' || ['BSON', 'GEOMETRY', 'GEOGRAPHY'].includes(logical?.type ?? '')) return undefined;
      return (value: Buffer) => text(value.toString('latin1'));
    default:
      return undefined;
  }
}

const text = (content: string): CellText => ({ text: content, kind: undefined });
/** Infinities and NaN become texts, because an import reads no such numbers. */
const number = (value: number): CellText => ({
  text: String(value),
  kind: Number.isFinite(value) ? 'number' : undefined,
});

const UNITS_PER_SECOND: Readonly<Record<TimeUnit, bigint>> = {
  MILLIS: 1_000n,
  MICROS: 1_000_000n,
  NANOS: 1_000_000_000n,
};
const SECONDS_PER_DAY = 86_400n;
const NANOSECONDS_PER_DAY = SECONDS_PER_DAY * UNITS_PER_SECOND.NANOS;
const JULIAN_DAY_OF_1970 = 2_440_588;

function integers({ type, converted_type: converted, logical_type: logical }: SchemaElement): CellTextOf {
  if (logical?.type === 'DATE' || converted === 'DATE') {
    return (value: number) => timestamp(BigInt(value) * SECONDS_PER_DAY * UNITS_PER_SECOND.MILLIS, 'MILLIS', '');
  }
  const [, timeType, convertedUnit] = /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/.exec(converted ?? '') ?? [];
  if (logical?.type === 'TIMESTAMP' || (!logical && timeType === 'TIMESTAMP')) {
    const unit = logical?.type === 'TIMESTAMP' ? logical.unit : (convertedUnit as TimeUnit);
    const zone = logical?.type !== 'TIMESTAMP' || logical.isAdjustedToUTC ? 'Z' : '';
    return (value: number | bigint) => timestamp(BigInt(value), unit, zone);
  }
  if (logical?.type === 'TIME' || timeType === 'TIME') {
    const unit = logical?.type === 'TIME' ? logical.unit : (convertedUnit as TimeUnit);
    return (value: number | bigint) => text(timeOfDay(BigInt(value), unit));
  }
  const isUnsigned = (logical?.type === 'INTEGER' && !logical.isSigned) || converted?.startsWith('UINT_');
  const bits = type === 'INT32' ? 32 : 64;
  return (value: number | bigint) => ({
    text: String(isUnsigned ? BigInt.asUintN(bits, BigInt(value)) : value),
    kind: 'number',
  });
}

/** The part of a time after its seconds, such as ".25"; empty for whole seconds. */
const fractionText = (part: bigint, unit: TimeUnit): string => {
  const digits = String(part).padStart(String(UNITS_PER_SECOND[unit]).length - 1, '0');
  return part === 0n ? '' : `.${digits.replace(/0+$/, '')}`;
};

const modulo = (value: bigint, by: bigint): bigint => ((value % by) + by) % by;

/** Writes the time of day, such as "12:30:00.25". `value` counts units since any midnight. */
function timeOfDay(value: bigint, unit: TimeUnit): string {
  const part = modulo(value, UNITS_PER_SECOND[unit]);
  const seconds = Number(modulo((value - part) / UNITS_PER_SECOND[unit], SECONDS_PER_DAY));
  const time = [3600, 60, 1].map((size) => String(Math.floor(seconds / size) % 60).padStart(2, '0')).join(':');
  return time + fractionText(part, unit);
}

/** Writes an ISO date, with the time unless the time is midnight. A year outside of 0 to 9999 results in a number. */
function timestamp(value: bigint, unit: TimeUnit, zone: 'Z' | ''): CellText {
  const midnight = value - modulo(value, UNITS_PER_SECOND[unit] * SECONDS_PER_DAY);
  const date = new Date(Number((midnight * UNITS_PER_SECOND.MILLIS) / UNITS_PER_SECOND[unit]));
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return { text: String(value), kind: 'number' };
  const day = date.toISOString().slice(0, 10);
  return { text: midnight === value ? day : `${day}T${timeOfDay(value, unit)}${zone}`, kind: 'date' };
}

const SCALE_MAX = 1_000;

/** Decimals are integers with a scale; their texts are exact. */
function decimals({ scale = 0, logical_type: logical }: SchemaElement): CellTextOf {
  const places = logical?.type === 'DECIMAL' ? logical.scale : scale;
  if (!(places >= 0 && places <= SCALE_MAX)) {
    throw new Refusal(
      'UNSUPPORTED_MEDIA',
      `The Parquet file has decimals with the scale ${places}, which is not supported: write them as texts.`,
    );
  }
  return (value: number | bigint | Buffer) => {
    const unscaled = Buffer.isBuffer(value) ? bigIntOf(value) : BigInt(value);
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(places + 1, '0');
    const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
    const whole = digits.slice(0, digits.length - places);
    return {
      text: `${unscaled < 0n ? '-' : ''}${whole}${places > 0 && fraction ? `.${fraction}` : ''}`,
      kind: 'number',
    };
  };
}

const bigIntOf = (bytes: Buffer): bigint =>
  bytes.length === 0 ? 0n : BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`));

/** The number with the fewest digits that has this value in single precision. */
function shortestSingle(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

const uuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** A number of 16 bits: sign, five bits of exponent, ten bits of fraction. */
function halfOf(bytes: Buffer): number {
  const bits = bytes.readUInt16LE(0);
  const [sign, exponent, fraction] = [bits >> 15 === 0 ? 1 : -1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  const [base, power] = exponent === 0 ? [0, -14] : [1, exponent - 15];
  return sign * 2 ** power * (base + fraction / 1024);
}
