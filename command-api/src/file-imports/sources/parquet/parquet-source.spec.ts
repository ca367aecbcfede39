import { Refusal } from '@rdm/contracts';
import fc from 'fast-check';
import type { ColumnSource } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { memoryBytes, readWhole } from '../fixtures/memory-bytes.ts';
import { parquetFixture, parquetOf } from '../fixtures/parquet-files.ts';
import { openParquet } from './parquet-source.ts';

const [HEADER = [], ...ROWS] = parquetFixture('codes.csv')
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => line.split(','));

const CODES: ColumnSource = { name: 'code', data: ['A', 'B', 'C'], type: 'STRING' };

describe('a Parquet file', () => {
  it.each(['duckdb-1-snappy', 'duckdb-2-zstd', 'duckdb-2-gzip', 'polars-brotli', 'arrow-rs-1', 'arrow-rs-2'])(
    'of another program is read exactly: %s',
    async (name) => {
      const { format, columns, rows, key, label, questions } = await readWhole(parquetFixture(`${name}.parquet`));
      expect({ format, key, label, questions }).toEqual({ format: 'parquet', key: [0], label: 1, questions: [] });
      expect(columns.map((column) => column.name)).toEqual(HEADER);
      expect(columns.map(({ dataType }) => dataType)).toEqual([
        ...['string', 'string', 'string', 'number', 'number', 'number'],
        ...['number', 'number', 'boolean', 'date', 'string', 'string'],
      ]);
      expect(rows).toEqual(ROWS);
    },
  );

  it('is read with pages and row groups of any size', async () => {
    const integers = fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { nil: null });
    const texts = fc.option(fc.string({ unit: 'binary' }), { nil: null });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.uuid(), integers, texts), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 200 }),
        async (table, rowGroupSize, pageSize) => {
          const file = parquetOf(
            [
              { name: 'code', data: table.map(([code]) => code), type: 'STRING' },
              { name: 'count', data: table.map(([, count]) => count), type: 'INT32', nullable: true },
              { name: 'name', data: table.map(([, , name]) => name), type: 'STRING', nullable: true },
            ],
            { rowGroupSize, pageSize },
          );
          const { rows, sourceRecords } = await readWhole(file);
          const asUtf8 = (text: string | null) => Buffer.from(text ?? '').toString();
          expect(rows).toEqual(table.map(([code, count, name]) => [code, String(count ?? ''), asUtf8(name)]));
          expect(sourceRecords.map(({ line }) => line)).toEqual(table.map((_, index) => index + 1));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is read without its columns of lists and of binary data', async () => {
    const file = parquetOf(
      [
        { name: 'code', data: ['A', 'B', 'C'] },
        { name: 'tags', data: [['a'], [], ['b', 'c']] },
        { name: 'raw', data: ['x', 'y', 'z'].map((text) => Buffer.from(text)) },
      ],
      {
        schema: [
          { name: 'root', num_children: 3 },
          { name: 'code', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
          { name: 'tags', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
          { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
          { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
          { name: 'raw', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 1, repetition_type: 'REQUIRED' },
        ],
      },
    );
    const { columns, rows, notes } = await readWhole(file);
    expect(columns.map(({ name }) => name)).toEqual(['code']);
    expect(rows).toEqual([['A'], ['B'], ['C']]);
    expect(notes).toEqual([
      'The column "tags" holds lists: it is left out.',
      'The column "raw" holds binary data: it is left out.',
    ]);
  });

  it('gets unique column names, and loses only a record that is too long', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const { columns, sourceRecords } = await readWhole(
      parquetOf([CODES, { name: 'code ', data: ['a', long, 'c'], type: 'STRING' }]),
    );
    expect(columns.map(({ name }) => name)).toEqual(['code', 'code (2)']);
    expect(sourceRecords.map(({ line, malformed }) => [line, malformed?.rule])).toEqual([
      [1, undefined],
      [2, expect.stringContaining('more than 1,048,576 characters')],
      [3, undefined],
    ]);
  });

  const simple = parquetFixture('duckdb-1-snappy.parquet');
  it.each([
    ['is cut off', simple.subarray(0, -20), /^The file is incomplete: upload it again/],
    ['is encrypted', Buffer.concat([simple.subarray(0, -4), Buffer.from('PARE')]), /is encrypted/],
    ['has no row', parquetOf([{ name: 'code', data: [], type: 'STRING' }]), /has columns, but no row/],
    [
      'has no column that can be imported',
      parquetOf([{ name: 'tags', data: [Buffer.from('x')] }], {
        schema: [
          { name: 'root', num_children: 1 },
          { name: 'tags', type: 'BYTE_ARRAY', converted_type: 'BSON' },
        ],
      }),
      /no column that can be imported/,
    ],
    [
      'has too many columns',
      parquetOf(Array.from({ length: 1_001 }, (_, index) => ({ name: `c${index}`, data: [index], type: 'INT32' }))),
      /^Row 1 has 1,001 columns; at most 1,000/,
    ],
    [
      'is compressed in an unknown way',
      parquetOf([CODES], { codec: 'LZO', compressors: { LZO: (bytes) => bytes } }),
      /compressed with LZO: write it with Snappy or Zstandard/,
    ],
  ])('that %s is refused', async (_, content, message) => {
    await expect(readWhole(content)).rejects.toThrow(message);
  });

  it('with wrong bytes causes no error other than a refusal', async () => {
    const byte = fc.tuple(fc.nat({ max: simple.length - 1 }), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { minLength: 1, maxLength: 3 }), async (wrong) => {
        const content = Buffer.from(simple);
        for (const [at, value] of wrong) content[at] = value;
        try {
          for await (const { records } of (await openParquet(memoryBytes(content), {})).records())
            expect(records.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      // The example turns the value count of a page into a BigInt.
      { numRuns: 300, examples: [[[[792, 22]]]] },
    );
  });

  it('is not recognised by its first bytes alone', async () => {
    const { format, columns } = await readWhole('PARENT,code\nA,A1\nA,A2\n');
    expect([format, columns.map(({ name }) => name)]).toEqual(['text', ['PARENT', 'code']]);
  });

  it('is not refused after an error of the database', async () => {
    const broken = { ...memoryBytes(simple), range: () => Promise.reject(new Error('Connection terminated')) };
    await expect(openParquet(broken, {})).rejects.toThrow('Connection terminated');
  });
});
