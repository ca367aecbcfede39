/** Tests the pages of a list, with and without bookmarks (`bookmarks.ts`), and the cache of data sets. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableOf } from '../fixtures/database.ts';
import { ADMIN, collection, registered, type SpecService, startService } from '../fixtures/service.ts';

const READER = 10;
const field = (fieldId: number, name: string, dataType: string) => ({
  fieldId,
  name,
  dataType,
  isPrimaryKey: fieldId === 1,
  retired: false,
  referencedBy: [] as string[],
});
const FIELDS = [
  field(1, 'code', 'string'),
  field(2, 'name', 'string'),
  field(3, 'size', 'number'),
  field(4, 'active', 'boolean'),
  field(5, 'since', 'date'),
];
const LONG = 'Ä'.repeat(210);

let service: SpecService;
let seq = 10;

beforeAll(async () => {
  service = await startService();
  service.grant(registered(READER, 4), ...collection(1, [1], { [READER]: 'READ' }));
  await service.database.pool.query(
    `INSERT INTO ${tableOf('reference_data_types')} (id, name, fields, valid_from) VALUES (1, 'Code', $1, 2)`,
    [JSON.stringify(FIELDS)],
  );
  await service.database.pool.query(
    `INSERT INTO ${tableOf('reference_data_sets')} (id, name, type_id, key_field_ids, created_by, valid_from)
     VALUES (1, 'Codes', 1, '{1}', 1, 2)`,
  );
  await service.database.pool.query(
    `INSERT INTO ${tableOf('data_set_counts')} (data_set_id, instances, valid_from) VALUES (1, 0, 1)`,
  );
  for (let row = 1; row <= 120; row++) await putRow(row);
}, 60_000);
afterAll(() => service.stop());

/** Returns cells with few distinct values, missing values and values of wrong types. Only the code is unique. */
function cells(row: number) {
  const pickFrom = <T>(values: readonly T[]): T => values[(row * 7919) % values.length] as T;
  return {
    1: `c${row}`,
    2: pickFrom(['Berlin', 'berlin', 'Äpfel', null, '', 'zürich', LONG, `${LONG}x`, 5]),
    3: pickFrom([3, 1.5, null, -2, 1e6, 'many']),
    4: pickFrom([true, false, null]),
    5: pickFrom(['2024-02-29', '1999-12-31', null, '2024-02-30']),
  };
}

/** Adds or changes a row, and changes the version of the list, as the projector does. */
async function putRow(row: number, data: Record<string, unknown> = cells(row)): Promise<void> {
  seq += 1;
  await service.database.pool.query(
    `WITH counted AS (UPDATE ${tableOf('data_set_counts')} SET valid_from = $4, instances =
        (SELECT count(*) + (NOT EXISTS (SELECT FROM ${tableOf('instances')} WHERE id = $1))::int
           FROM ${tableOf('instances')} WHERE NOT deleted))
     INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data, updated_by, valid_from)
     VALUES (1, $1, $2, $3, nullif($1 % 4, 0), $4)
     ON CONFLICT (data_set_id, id) DO UPDATE SET data = excluded.data, key = excluded.key, valid_from = $4`,
    [row, JSON.stringify([data[1]]), JSON.stringify(data), seq],
  );
}

type ListPage = { items: { id: number; data: { size: unknown } }[]; total: number };
const readPage = async (query: string): Promise<ListPage> => {
  const { status, body } = await service.get(`/api/reference-data/1/instances?${query}`, READER);
  expect([query, status]).toEqual([query, 200]);
  return body;
};
const idsOf = ({ items }: ListPage) => items.map(({ id }) => id);

const FILTERS = [
  '',
  `&filter=${encodeURIComponent(
    JSON.stringify({
      logic: 'OR',
      conditions: [
        { field: 'name', operator: 'contains', value: 'b' },
        { field: 'size', operator: 'is_null' },
      ],
    }),
  )}`,
  '&q=1',
  // Filters with few matches, which the query reads unordered.
  ...['berlin', 'Äpfel'].map(
    (value) =>
      `&filter=${encodeURIComponent(JSON.stringify({ conditions: [{ field: 'name', operator: 'equals', value }] }))}`,
  ),
];
const SORTS = [
  '',
  ...['id', 'key', 'code', 'name', 'size', 'active', 'since', 'createdAt', 'updatedBy', 'jobId'].map(
    (name) => `&sort=${name}`,
  ),
];

describe('the pages of a list', () => {
  const listRequests = fc.record({
    list: fc.record({
      filter: fc.constantFrom(...FILTERS),
      sort: fc.constantFrom(...SORTS),
      order: fc.constantFrom('', '&order=DESC'),
    }),
    size: fc.constantFrom(1, 7, 25),
    pages: fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant('change' as const)), {
      minLength: 4,
      maxLength: 10,
    }),
  });

  it('are parts of the whole list, also while rows change', async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(listRequests, async ({ list: { filter, sort, order }, size, pages }) => {
        const list = `${filter}${sort}${order}`;
        let whole = await readPage(`pageSize=1000${list}`);
        for (const number of pages) {
          if (number === 'change') {
            changes += 1;
            // Add a row that sorts first, or move a row.
            if (changes % 2 === 0) await putRow(120 + changes, { ...cells(changes), 2: '!', 3: -100 });
            else await putRow((changes * 13) % 120 || 1, { ...cells(changes), 1: `m${changes}` });
            whole = await readPage(`pageSize=1000${list}`);
          } else {
            const part = await readPage(`pageSize=${size}&page=${number}${list}`);
            expect(idsOf(part)).toEqual(idsOf(whole).slice((number - 1) * size, number * size));
            expect(part.total).toBe(whole.total);
          }
        }
      }),
      { numRuns: process.env['FAULTS'] === 'long' ? 80 : 20, seed: 3 },
    );
  }, 120_000);

  it('contain every row once, with rows without a value last', async () => {
    for (const order of ['', '&order=DESC']) {
      const { items, total } = await readPage(`pageSize=1000&sort=size${order}`);
      expect(new Set(items.map(({ id }) => id)).size).toBe(total);
      const sized = items.map(({ data }) => typeof data.size === 'number');
      expect(sized.lastIndexOf(true)).toBeLessThan(sized.indexOf(false));
      const sizes = items.flatMap(({ data }) => (typeof data.size === 'number' ? [data.size] : []));
      expect(sizes).toEqual(sizes.toSorted((a, b) => (order ? b - a : a - b)));
    }
  });
});

describe('a cached data set', () => {
  const path = '/api/reference-data/1/instances?key=kept';
  beforeAll(() => putRow(900, { ...cells(1), 1: 'kept' }));

  const fieldsOrStatus = async () => {
    const { status, body } = await service.get(path, READER);
    return status === 200 ? Object.keys(body.items[0].data) : status;
  };

  const fieldsNamed = (name: string) =>
    JSON.stringify(FIELDS.map((each) => (each.fieldId === 2 ? { ...each, name } : each)));
  const rename = (name: string, validFrom: number) =>
    service.database.pool.query(`UPDATE ${tableOf('reference_data_types')} SET fields = $1, valid_from = $2`, [
      fieldsNamed(name),
      validFrom,
    ]);

  it('is refused as soon as the session has ended', async () => {
    expect(await fieldsOrStatus()).toContain('name');
    expect(await fieldsOrStatus()).toContain('name');
    await service.database.pool.query('UPDATE identity.sessions SET ended_at = now() WHERE user_id = $1', [READER]);
    expect(await fieldsOrStatus()).toBe(401);
    // The response must not even reveal whether the request is valid.
    expect((await service.get(`${path}&sort=nope`, READER)).status).toBe(401);
    await service.signIn(READER);
    expect(await fieldsOrStatus()).toContain('name');
  });

  it('is refused to users who must change their password first', async () => {
    expect(await fieldsOrStatus()).toContain('name');
    await service.database.pool.query('UPDATE identity.users SET require_password_change = true WHERE id = $1', [
      READER,
    ]);
    expect(await fieldsOrStatus()).toBe(403);
    await service.database.pool.query('UPDATE identity.users SET require_password_change = false WHERE id = $1', [
      READER,
    ]);
    expect(await fieldsOrStatus()).toContain('name');
  });

  it('reflects changes of the type and the data set at once', async () => {
    expect(await fieldsOrStatus()).toContain('name');
    const { pool } = service.database;
    await rename('label', 3);
    expect(await fieldsOrStatus()).toContain('label');
    await rename('title', 4);
    expect((await service.get('/api/reference-data/1/instances?sort=title', READER)).status).toBe(200);
    expect((await service.get('/api/reference-data/1/instances?sort=label', READER)).status).toBe(400);
    await pool.query(`UPDATE ${tableOf('reference_data_sets')} SET id = 2`);
    expect(await fieldsOrStatus()).toBe(404);
    await pool.query(`UPDATE ${tableOf('reference_data_sets')} SET id = 1`);
    await rename('name', 5);
    expect(await fieldsOrStatus()).toContain('name');
  });

  it('reflects changed filter configurations at once', async () => {
    const { pool } = service.database;
    const filter = encodeURIComponent(
      JSON.stringify({ conditions: [{ field: 'code', operator: 'equals', value: 'kept' }] }),
    );
    const filteredStatus = async () =>
      (await service.get(`/api/reference-data/1/instances?filter=${filter}`, READER)).status;
    const configure = (operators: string[], revision: number) =>
      pool.query(
        `INSERT INTO ${tableOf('entity_filter_configurations')}
           (id, entity_type, list, subject_id, field_name, field_path, field_id, data_type, allowed_operators,
            validation, display_name, description, is_active, revision, created_at, updated_at)
         VALUES (1, 'data-set:1', 'data-set', 1, 'code', 'data.code', 1, 'string', $1, 'null', '', '', true, $2, now(), now())
         ON CONFLICT (id) DO UPDATE SET allowed_operators = $1, revision = $2`,
        [JSON.stringify(operators), revision],
      );
    expect(await filteredStatus()).toBe(200);
    await configure(['contains'], 0);
    expect(await filteredStatus()).toBe(400);
    await configure(['equals'], 1);
    expect(await filteredStatus()).toBe(200);
    await configure(['contains'], 2);
    expect(await filteredStatus()).toBe(400);
    await pool.query(`DELETE FROM ${tableOf('entity_filter_configurations')}`);
    expect(await filteredStatus()).toBe(200);
  });

  it.each([
    `"; DROP TABLE x; --`,
    "'",
    '$1',
    '%',
    '\\',
    '{a}',
    '__proto__',
    'constructor',
    'data',
    'İ',
    'a.b',
    'x'.repeat(400),
  ])('handles a field called %s like any other field', async (name) => {
    await rename(name, ++seq);
    expect(await fieldsOrStatus()).toContain(name);
    const field = encodeURIComponent(name);
    const whole = idsOf(await readPage('pageSize=1000&sort=id'));
    expect(idsOf(await readPage(`pageSize=1000&sort=${field}&order=DESC`)).toSorted((a, b) => a - b)).toEqual(whole);
    const filter = encodeURIComponent(
      JSON.stringify({ conditions: [{ field: name, operator: 'equals', value: name }] }),
    );
    expect((await readPage(`filter=${filter}`)).items).toEqual([]);
    const { status } = await service.get(`/api/reference-data/1/instances?sort=${field}x`, READER);
    expect(status).toBe(400);
    await rename('name', ++seq);
  });

  it('is refused to a reader after the data set was removed from the collection', async () => {
    expect(await fieldsOrStatus()).toContain('name');
    service.grant({ type: 'CollectionItemsRemoved', data: { collectionId: 1, dataSetIds: [1] } });
    expect(await fieldsOrStatus()).toBe(404);
    expect((await service.get(path, ADMIN)).status).toBe(200);
    service.grant({ type: 'CollectionItemsAdded', data: { collectionId: 1, dataSetIds: [1] } });
    expect(await fieldsOrStatus()).toContain('name');
  });
});
