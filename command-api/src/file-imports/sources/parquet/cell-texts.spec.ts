import type { SchemaElement } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { cellTextOf, type StoredValue } from './cell-texts.ts';

const textAndKindOf = (element: Omit<SchemaElement, 'name'>, value: StoredValue) =>
  cellTextOf({ name: 'column', ...element })?.(value as never);

describe('the text of a stored value', () => {
  it.each<[what: string, Omit<SchemaElement, 'name'>, StoredValue, text: string, kind: string | undefined]>([
    ['a boolean', { type: 'BOOLEAN' }, true, 'true', 'boolean'],
    ['an integer', { type: 'INT32' }, -7, '-7', 'number'],
    ['an integer of 32 bits without sign', { type: 'INT32', converted_type: 'UINT_32' }, -1, '4294967295', 'number'],
    [
      'an integer of 64 bits without sign',
      { type: 'INT64', logical_type: { type: 'INTEGER', bitWidth: 64, isSigned: false } },
      -1n,
      '18446744073709551615',
      'number',
    ],
    ['a single', { type: 'FLOAT' }, Math.fround(0.1), '0.1', 'number'],
    ['a small single', { type: 'FLOAT' }, Math.fround(1.17549435e-38), '1.1754944e-38', 'number'],
    ['a double', { type: 'DOUBLE' }, 0.1 + 0.2, '0.30000000000000004', 'number'],
    ['NaN', { type: 'DOUBLE' }, Number.NaN, 'NaN', undefined],
    [
      'a half',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } },
      Buffer.from('00be', 'hex'),
      '-1.5',
      'number',
    ],
    ['a decimal', { type: 'INT32', converted_type: 'DECIMAL', scale: 3 }, 1250, '1.25', 'number'],
    ['a decimal below 1', { type: 'INT64', converted_type: 'DECIMAL', scale: 3 }, -5n, '-0.005', 'number'],
    ['a whole decimal', { type: 'INT32', converted_type: 'DECIMAL', scale: 2 }, 5000, '50', 'number'],
    ['a decimal without places', { type: 'INT32', converted_type: 'DECIMAL', scale: 0 }, 500, '500', 'number'],
    [
      'a negative decimal of bytes',
      { type: 'BYTE_ARRAY', logical_type: { type: 'DECIMAL', precision: 30, scale: 2 } },
      Buffer.from('ff85', 'hex'),
      '-1.23',
      'number',
    ],
    ['a date', { type: 'INT32', converted_type: 'DATE' }, -1, '1969-12-31', 'date'],
    [
      'a date with a year of more than four digits',
      { type: 'INT32', logical_type: { type: 'DATE' } },
      2 ** 31 - 1,
      '185542587100800000',
      'number',
    ],
    ['midnight', { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, 1_706_659_200_000n, '2024-01-31', 'date'],
    [
      'an instant',
      { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
      1_706_704_215_250_000n,
      '2024-01-31T12:30:15.25Z',
      'date',
    ],
    [
      'a local time before 1970',
      { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' } },
      -1n,
      '1969-12-31T23:59:59.999999999',
      'date',
    ],
    ['an old timestamp', { type: 'INT96' }, Buffer.from('0000000000000000' + '8c3d2500', 'hex'), '1970-01-01', 'date'],
    ['a time of day', { type: 'INT32', converted_type: 'TIME_MILLIS' }, 37_230_500, '10:20:30.5', undefined],
    ['a text', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, Buffer.from('Größe'), 'GrÃ¶Ã\x9fe', undefined],
    [
      'an identifier',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
      Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
      '00112233-4455-6677-8899-aabbccddeeff',
      undefined,
    ],
  ])('and its kind are returned for %s', (_, element, value, text, kind) => {
    expect(textAndKindOf(element, value)).toEqual({ text, kind });
  });

  it('does not exist for binary data', () => {
    expect(cellTextOf({ name: 'a', type: 'BYTE_ARRAY', converted_type: 'BSON' })).toBeUndefined();
    expect(cellTextOf({ name: 'a', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12 })).toBeUndefined();
  });
});

it('refuses a scale that is not supported, with a remedy', () => {
  expect(() => textAndKindOf({ type: 'INT64', converted_type: 'DECIMAL', scale: 1_001 }, 1n)).toThrow(
    'The Parquet file has decimals with the scale 1001, which is not supported: write them as texts.',
  );
});
