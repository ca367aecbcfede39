/** Tests that rows are returned in the order of their keys: in lists, pages, JSON exports and reads of the past. */
import type { DataType } from '@rdm/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableOf } from '../fixtures/database.ts';
import { ADMIN, filtered, type SpecService, startService } from '../fixtures/service.ts';

const KEYS: DataType[][] = [
  ['string'],
  ['number'],
  ['date'],
  ['string', 'number'],
  ['date', 'boolean', 'string'],
  ['string', 'string', 'string', 'string'],
];

type Cell = string | number | boolean;

/** Generates cells of each data type. Some are invalid for the type, as after a change of the field's data type. */
const CELLS: Record<DataType, fc.Arbitrary<Cell>> = {
  string: fc.oneof(
    fc.constantFrom('a', 'A', 'ab', 'a b', 'B9', 'b10', '"', '\\', '{,}', '9', '10', '-', 'é', '日本'),
    fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom(...'aAbB19 _') }),
  ),
  number: fc.oneof(fc.constantFrom<Cell>(9, 10, 9.5, -1, 0, 1e300, 'many'), fc.integer({ min: -50, max: 50 })),
  boolean: fc.constantFrom<Cell>(true, false, 'perhaps'),
  date: fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31', '1999-12-31', '2024-02-30'),
};

const IS_OF_TYPE: Record<DataType, (cell: Cell) => boolean> = {
  string: () => true,
  number: (cell) => typeof cell === 'number',
  boolean: (cell) => typeof cell === 'boolean',
  date: (cell) => cell !== '2024-02-30',
};

interface Row {
  id: number;
  key: Cell[];
}

function compareCells(dataType: DataType, a: Cell, b: Cell): number {
  if (!IS_OF_TYPE[dataType](a) || !IS_OF_TYPE[dataType](b))
    return Number(!IS_OF_TYPE[dataType](a)) - Number(!IS_OF_TYPE[dataType](b));
  if (dataType === 'string')
    return Buffer.compare(Buffer.from(String(a).toLowerCase()), Buffer.from(String(b).toLowerCase()));
  return a < b ? -1 : Number(a > b);
}

const sortedIds = (types: readonly DataType[], rows: readonly Row[]): number[] =>
  rows
    .toSorted((a, b) => {
      for (const [place, type] of types.entries()) {
        const order = compareCells(type, a.key[place] as Cell, b.key[place] as Cell);
        if (order !== 0) return order;
      }
      return a.id - b.id;
    })
    .map(({ id }) => id);

let service: SpecService;
let seq = 3;

beforeAll(async () => {
  service = await startService();
  for (const [index, types] of KEYS.entries()) {
    const field = (fieldId: number, dataType: DataType) => ({
      ...{ fieldId, dataType, name: fieldId === 100 ? 'number of row' : `part ${fieldId}` },
      ...{ isPrimaryKey: fieldId !== 100, retired: false, referencedBy: [] },
    });
    const fields = [field(100, 'number'), ...types.map((type, place) => field(place + 1, type))];
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO ${tableOf('reference_data_types')} (id, name, fields, valid_from) VALUES ($1, $2, $3, 2)`,
      [index + 1, `Type ${index}`, JSON.stringify(fields)],
    );
    await pool.query(
      `INSERT INTO ${tableOf('reference_data_sets')} (id, name, type_id, key_field_ids, created_by, valid_from)
       VALUES ($1, $2, $1, $3, 1, 2)`,
      [index + 1, `Rows ${index}`, types.map((_, place) => place + 1)],
    );
    await pool.query(
      `INSERT INTO ${tableOf('data_set_counts')} (data_set_id, instances, valid_from) VALUES ($1, 0, 2)`,
      [index + 1],
    );
  }
}, 60_000);
afterAll(() => service.stop());

/** Replaces the projected rows of a data set. */
async function replaceRows(dataSetId: number, rows: readonly Row[]): Promise<void> {
  seq += 1;
  const { pool } = service.database;
  await pool.query(`DELETE FROM ${tableOf('instances')} WHERE data_set_id = $1`, [dataSetId]);
  await pool.query(
    `INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data, valid_from)
     SELECT $1, r.id, r.key, r.data, 3 FROM jsonb_to_recordset($2) r (id bigint, key text, data jsonb)`,
    [
      dataSetId,
      JSON.stringify(
        rows.map(({ id, key }) => ({
          id,
          key: JSON.stringify(key),
          data: { 100: id, ...Object.fromEntries(key.map((cell, place) => [place + 1, cell])) },
        })),
      ),
    ],
  );
  await pool.query(`UPDATE ${tableOf('data_set_counts')} SET instances = $2, valid_from = $3 WHERE data_set_id = $1`, [
    dataSetId,
    rows.length,
    seq,
  ]);
}

async function readIds(dataSetId: number, query: string): Promise<number[]> {
  const { status, body } = await service.get(`/api/reference-data/${dataSetId}/${query}`, ADMIN);
  expect([query, status]).toEqual([query, 200]);
  return (body.items ?? body).map((row: { data?: object }) => Object(row.data ?? row)['number of row']);
}

describe('the order of rows without a sort', () => {
  const dataSet = fc.constantFrom(...KEYS).chain((types) =>
    fc.record({
      types: fc.constant(types),
      keys: fc.uniqueArray(fc.tuple(...types.map((type) => CELLS[type])), {
        maxLength: 25,
        selector: (key) => JSON.stringify(key),
      }),
      size: fc.constantFrom(1, 3, 10),
      lastPageFirst: fc.boolean(),
    }),
  );

  it('is the key order in lists, pages, JSON exports and reads of the past', async () => {
    await fc.assert(
      fc.asyncProperty(dataSet, async ({ types, keys, size, lastPageFirst }) => {
        const id = KEYS.indexOf(types) + 1;
        const rows = keys.map((key, index) => ({ id: (index + 1) * 64, key }));
        await replaceRows(id, rows);
        const order = sortedIds(types, rows);
        expect(await readIds(id, 'instances?pageSize=1000')).toEqual(order);
        const numbers = Array.from({ length: Math.ceil(order.length / size) }, (_, index) => index + 1);
        const pages = new Map<number, number[]>();
        for (const page of lastPageFirst ? numbers.toReversed() : numbers) {
          pages.set(page, await readIds(id, `instances?pageSize=${size}&page=${page}`));
        }
        expect(numbers.flatMap((page) => pages.get(page))).toEqual(order);
        expect(await readIds(id, 'instances?pageSize=1000&asOf=seq:3')).toEqual(order);
        expect(await readIds(id, 'export?format=json')).toEqual(order);
        expect(await readIds(id, 'export?format=json&asOf=seq:3')).toEqual(order);
        expect(await readIds(id, 'instances?pageSize=1000&sort=orderOfEntry')).toEqual(rows.map((row) => row.id));
        const [key] = keys;
        if (key && typeof key[0] === 'string' && types[0] === 'string') {
          const sameFirst = new Set(rows.filter((row) => row.key[0] === key[0]).map((row) => row.id));
          const filter = filtered({ field: 'part 1', operator: 'equals', value: key[0] });
          expect(await readIds(id, `instances?${filter}`)).toEqual(order.filter((row) => sameFirst.has(row)));
        }
      }),
      { numRuns: process.env['FAULTS'] === 'long' ? 60 : 20, seed: 3 },
    );
  }, 120_000);
});
