/**
 * Tests routes over HTTP on a real PostgreSQL: types, data sets, instances, the graph, collections, identity, jobs,
 * monitor, site paths, diagnostics, selections, and reads while a build is behind or replaced.
 */
import { INCLUDED_ROWS_MAX } from '@rdm/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf, tableOf } from './fixtures/database.ts';
import { ADMIN, collection, filtered, registered, type SpecService, startService } from './fixtures/service.ts';

const READER = 10;
const STRANGER = 11;
const CREATOR = 12;
const COUNTRIES = 1;
const SECRETS = 2;
const UNCOLLECTED = 3;

const field = (fieldId: number, name: string, dataType: string, isPrimaryKey = false) => ({
  fieldId,
  name,
  dataType,
  isPrimaryKey,
  retired: false,
  referencedBy: [] as string[],
});
const FIELDS = [
  { ...field(1, 'code', 'string', true), referencedBy: ['crosswalk:1'] },
  field(2, 'name', 'string'),
  field(3, 'population', 'number'),
  field(4, 'member', 'boolean'),
  field(5, 'since', 'date'),
  { ...field(6, 'old', 'string'), retired: true },
];
const ROWS = [
  { 1: '004', 2: 'Afghanistan', 3: 41, 4: true, 5: '1946-11-19' },
  { 1: '276', 2: 'Germany', 3: 84, 4: true, 5: '1973-09-18' },
  { 1: '756', 2: '=Switzerland', 3: 8.9, 4: true, 5: '2002-09-10' },
  { 1: '336', 2: 'Holy "See", Rome', 3: 0.001, 4: false },
  { 1: '100%', 2: 'germany', 3: 'not a number' },
];

let service: SpecService;

beforeAll(async () => {
  service = await startService();
  service.grant(
    registered(READER, 4),
    registered(STRANGER, 4),
    registered(CREATOR, 2),
    ...collection(1, [COUNTRIES], { [READER]: 'READ' }),
    ...collection(2, [SECRETS], {}),
  );
  const { pool } = service.database;
  await pool.query(
    `INSERT INTO ${tableOf('reference_data_types')} (id, name, description, fields, data_set_ids, valid_from)
     VALUES (1, 'Country', 'ISO 3166', $1, '{1,2,3}', 2), (2, 'animal', '', '[]', '{}', 2)`,
    [JSON.stringify(FIELDS)],
  );
  await pool.query(`
    INSERT INTO ${tableOf('reference_data_sets')} (id, name, type_id, key_field_ids, created_by, relationship_ids, crosswalk_ids, valid_from) VALUES
      (1, 'Countries', 1, '{1}', 1, '{1}', '{1,2}', 2), (2, 'Secrets', 1, '{1}', 1, '{1}', '{2}', 2), (3, 'Uncollected', 1, '{1}', 12, '{}', '{}', 2);
    INSERT INTO ${tableOf('reference_data_collections')} (id, name, owner_id, data_set_ids, grants) VALUES
      (1, 'Collection 1', 1, '{1}', '[{"entityType":"user","entityId":10,"permissionLevel":"READ"}]'), (2, 'Collection 2', 1, '{2}', '[]');
    INSERT INTO ${tableOf('relationships')} (id, name, cardinality, source_data_set_id, target_data_set_id, source_field_id, target_field_id)
      VALUES (1, 'hides', 'ONE_TO_ONE', 1, 2, 1, 1);
    INSERT INTO ${tableOf('crosswalk_mappings')} (id, name, source_system_id, target_system_id, source_field_id, target_field_id) VALUES
      (1, 'to itself', 1, 1, 1, 2), (2, 'to secrets', 1, 2, 1, 1);
    INSERT INTO ${tableOf('data_set_counts')} (data_set_id, instances) VALUES (1, 5), (2, 7);
    INSERT INTO platform.instants (seq, at) VALUES (4, '2026-01-01T00:00:00Z'), (6, '2026-02-01T00:00:00Z');`);
  for (const [index, data] of ROWS.entries()) {
    await pool.query(
      `INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data, valid_from) VALUES ($1, $2, $3, $4, $5)`,
      [COUNTRIES, 64 * (index + 1), JSON.stringify([data[1]]), JSON.stringify(data), index === 4 ? 6 : 3],
    );
  }
  // Germany was West Germany until seq 6; one row was removed.
  await pool.query(
    `INSERT INTO ${tableOf('instances_history')} (data_set_id, id, key, data, revision, deleted, created_at, updated_at, updated_by, valid_from, valid_to)
     VALUES (1, 128, '["276"]', '{"1":"276","2":"West Germany","3":62}', 1, false, now(), '2026-01-01', 12, 3, 6);
     UPDATE ${tableOf('instances')} SET revision = 2, valid_from = 6 WHERE id = 128;
     INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data, deleted, valid_from) VALUES (1, 640, '["999"]', '{"1":"999"}', true, 3)`,
  );
}, 60_000);
afterAll(() => service.stop());

const names = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);
const codes = (body: { items: { data: { code: string } }[] }) => body.items.map(({ data }) => data.code);

describe('data that the viewer may not read', () => {
  it('is not listed, and returns 404', async () => {
    expect(names((await service.get('/api/reference-data', ADMIN)).body)).toEqual([
      'Countries',
      'Secrets',
      'Uncollected',
    ]);
    expect(names((await service.get('/api/reference-data', READER)).body)).toEqual(['Countries']);
    expect(names((await service.get('/api/reference-data', CREATOR)).body)).toEqual(['Uncollected']);
    expect((await service.get('/api/reference-data', STRANGER)).body).toMatchObject({ items: [], total: 0 });
    for (const path of [
      '',
      '/instances',
      '/instances/64',
      '/instances/64/history',
      '/export',
      '/dependencies',
      '/graph',
    ]) {
      const { status, body } = await service.get(`/api/reference-data/${COUNTRIES}${path}`, STRANGER);
      expect([path, status, body.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    for (const path of [
      '/api/collections/2',
      '/api/collections/2/items',
      '/api/collections/2/permissions',
      '/api/relationships/1',
    ]) {
      expect([path, (await service.get(path, READER)).status]).toEqual([path, 404]);
    }
    expect((await service.get('/api/relationships', READER)).body).toMatchObject({ items: [], total: 0 });
    expect((await service.get('/api/relationships', ADMIN)).body.items).toHaveLength(1);
  });

  it('includes the viewer’s own data set in a collection without a grant for the viewer', async () => {
    expect((await service.get(`/api/reference-data/${UNCOLLECTED}`, CREATOR)).body).toMatchObject({
      name: 'Uncollected',
      level: 'ADMIN',
    });
    service.grant({ type: 'CollectionItemsAdded', data: { collectionId: 2, dataSetIds: [UNCOLLECTED] } });
    expect((await service.get(`/api/reference-data/${UNCOLLECTED}`, CREATOR)).status).toBe(404);
    service.grant({ type: 'CollectionItemsRemoved', data: { collectionId: 2, dataSetIds: [UNCOLLECTED] } });
    expect((await service.get(`/api/reference-data/${UNCOLLECTED}`, CREATOR)).status).toBe(200);
  });

  it('returns 401 to requests without a session', async () => {
    for (const path of ['/api/reference-data', '/api/reference-types', '/api/nothing', '/api/users']) {
      expect([path, (await service.get(path)).status]).toEqual([path, 401]);
    }
    // The sign-in page needs these settings.
    expect((await service.get('/api/auth/config')).body).toMatchObject({ passwordRules: { minLength: 10 } });
  });
});

describe('reference types', () => {
  it('are returned as an array, like their fields in use', async () => {
    const { body } = await service.get('/api/reference-types', READER);
    expect(body).toMatchObject([
      { id: 2, name: 'animal', schemaCount: 0, dataSetCount: 0 },
      { id: 1, name: 'Country', description: 'ISO 3166', schemaCount: 5, dataSetCount: 3 },
    ]);
    const schemas = await service.get('/api/reference-types/1/schemas', READER);
    expect(schemas.body).toHaveLength(5);
    expect(schemas.body[0]).toEqual({
      id: 1,
      fieldId: 1,
      referenceDataTypeId: 1,
      name: 'code',
      dataType: 'string',
      isPrimaryKey: true,
      isReferenced: true,
      isKeyOfDataSets: false,
    });
    expect((await service.get('/api/reference-types/99/schemas', READER)).status).toBe(404);
  });

  it('return the names of readable dependants, and the number of hidden dependants', async () => {
    const { body } = await service.get('/api/reference-types/1/dependencies', READER);
    expect(body).toEqual({
      datasets: [{ id: 1, name: 'Countries', collection: 'Collection 1', instanceCount: 5 }],
      relationships: [],
      crosswalkMappings: [{ id: 1, name: 'to itself', source: 'Countries', target: 'Countries', mappingCount: 0 }],
      primaryKeyFields: [{ name: 'code', isReferenced: true }],
      totalAffectedInstances: 12,
      hidden: { datasets: 2, relationships: 1, crosswalkMappings: 1 },
    });
    expect((await service.get('/api/reference-types/99/dependencies', READER)).status).toBe(404);
  });

  it('return their last events as they are stored', async () => {
    service.streams.set('referenceType-1', [
      {
        id: 'e1',
        stream: 'referenceType-1',
        revision: 0,
        position: 7n,
        type: 'ReferenceTypeDefined',
        data: { name: 'Country' },
        metadata: {} as never,
      },
    ]);
    const { body } = await service.get('/api/reference-types/1/events', READER);
    expect(body).toMatchObject({
      stream: 'referenceType-1',
      revision: 0,
      items: [{ position: '7', data: { name: 'Country' } }],
    });
    expect((await service.get('/api/reference-types/2/events', READER)).body).toMatchObject({
      revision: null,
      items: [],
    });
  });

  it('leave out events about entities that the viewer may not read', async () => {
    const event = (revision: number, type: string, data: object) => ({
      ...{ id: `e${revision}`, stream: 'referenceType-1', revision, position: 7n, type, data, metadata: {} as never },
    });
    const byId = (kind: string, id: number) => ({ fieldId: 1, by: { kind, id } });
    service.streams.set('referenceType-1', [
      event(0, 'DataSetRegistered', { dataSetId: COUNTRIES, keyFieldIds: [1] }),
      event(1, 'DataSetRegistered', { dataSetId: SECRETS, keyFieldIds: [1] }),
      event(2, 'FieldReferenced', byId('crosswalk', 1)),
      event(3, 'FieldReferenced', byId('crosswalk', 2)),
      event(4, 'FieldUnreferenced', byId('relationship', 1)),
      event(5, 'FieldRenamed', { fieldId: 1, name: 'code' }),
    ]);
    const revisionsFor = async (viewer: number) => {
      const { body } = await service.get('/api/reference-types/1/events', viewer);
      return [body.items.map(({ revision }: { revision: number }) => revision), body.hidden];
    };
    expect(await revisionsFor(READER)).toEqual([[5, 2, 0], 3]);
    expect(await revisionsFor(STRANGER)).toEqual([[5], 5]);
    expect(await revisionsFor(ADMIN)).toEqual([[5, 4, 3, 2, 1, 0], 0]);
  });
});

describe('a list', () => {
  it('has pages, an exact total and a position', async () => {
    const { body, headers } = await service.get('/api/reference-data/1/instances?pageSize=2&page=2', READER);
    expect(body).toMatchObject({ page: 2, pageSize: 2, total: 5, position: '100' });
    expect(codes(body)).toEqual(['276', '336']);
    expect(headers.get('X-Position')).toBe('100');
  });

  it('sorts by typed fields: rows without a value are last, and texts ignore case', async () => {
    const sorted = async (sort: string, order: string) =>
      codes((await service.get(`/api/reference-data/1/instances?sort=${sort}&order=${order}`, READER)).body);
    expect(await sorted('population', 'ASC')).toEqual(['336', '756', '004', '276', '100%']);
    expect(await sorted('population', 'DESC')).toEqual(['276', '004', '756', '336', '100%']);
    expect(await sorted('name', 'ASC')).toEqual(['756', '004', '276', '100%', '336']);
  });

  it('filters by typed fields, and searches for the literal text, ignoring case', async () => {
    const find = async (query: string) =>
      codes((await service.get(`/api/reference-data/1/instances?${query}`, READER)).body);
    expect(await find(filtered({ field: 'population', operator: 'greater_than', value: 10 }))).toEqual(['004', '276']);
    expect(await find(filtered({ field: 'since', operator: 'between', value: ['1973-01-01', '2002-12-31'] }))).toEqual([
      '276',
      '756',
    ]);
    expect(await find(filtered({ field: 'code', operator: 'equals', value: '004' }))).toEqual(['004']);
    expect(await find(filtered({ field: 'code', operator: 'equals', value: '4' }))).toEqual([]);
    expect(await find(filtered({ field: 'code', operator: 'not_equals', value: '004' }))).toEqual([
      '100%',
      '276',
      '336',
      '756',
    ]);
    expect(await find(`q=${encodeURIComponent('%')}`)).toEqual(['100%']);
    expect(await find('q=GERMANY')).toEqual(['100%', '276']);
  });

  it('sorts by the order of entry', async () => {
    const sorted = async (order: string) =>
      codes((await service.get(`/api/reference-data/1/instances?sort=orderOfEntry&order=${order}`, READER)).body);
    expect(await sorted('ASC')).toEqual(ROWS.map((row) => row[1]));
    expect(await sorted('DESC')).toEqual(ROWS.map((row) => row[1]).toReversed());
  });

  it('returns the requested fields', async () => {
    const { body } = await service.get('/api/reference-data/1/instances?fields=name&pageSize=1', READER);
    expect(body.items).toEqual([{ id: 64, revision: 1, key: '004', data: { name: 'Afghanistan' } }]);
  });

  it.each([
    'sort=nope',
    'sort=toString',
    'filter=%7B',
    'filter=%5B%5D',
    filtered({ field: 'nope', operator: 'equals', value: 1 }),
    filtered({ field: 'population', operator: 'equals', value: 'x' }),
    filtered({ field: 'name', operator: 'regex', value: '(' }),
    'q=%00',
    'pageSize=1001',
    'page=0',
    'asOf=yesterday',
  ])('refuses %s with 400', async (query) => {
    const { status, body } = await service.get(`/api/reference-data/1/instances?${query}`, READER);
    expect([status, body.code]).toEqual([400, 'INVALID']);
  });

  it('counts the matches of a filter', async () => {
    const { body } = await service.get(
      `/api/reference-data/1/instances?${filtered({ field: 'member', operator: 'is_not_null' })}`,
      READER,
    );
    expect(body.total).toBe(4);
  });
});

describe('the included rows of a data set', () => {
  const readIncluded = async (query: string, as = READER, id = COUNTRIES) =>
    (await service.get(`/api/reference-data/${id}?${query}`, as)).body;

  it('are returned as cells by field name, and as keys', async () => {
    const plain = await readIncluded('');
    expect(plain).not.toHaveProperty('data');
    expect(plain).not.toHaveProperty('extractedValues');
    const both = await readIncluded('include=data,extractedValues');
    const { items } = (await service.get('/api/reference-data/1/instances', READER)).body;
    const listedData = items.map((row: { data: object }) => row.data);
    expect(both).toEqual({ ...plain, data: listedData, extractedValues: ['004', '100%', '276', '336', '756'] });
    expect(both.data[3]).toEqual({
      code: '336',
      name: 'Holy "See", Rome',
      population: 0.001,
      member: false,
      since: null,
    });
    expect(JSON.stringify(both.data)).toBe(JSON.stringify(listedData));
    expect(await readIncluded('include=extractedValues')).toEqual({ ...plain, extractedValues: both.extractedValues });
  });

  it('are returned as of the past', async () => {
    const { data, extractedValues, instanceCount } = await readIncluded('include=data,extractedValues&asOf=seq:4');
    expect(instanceCount).toBe(4);
    expect(extractedValues).toEqual(['004', '276', '336', '756']);
    expect(data[1]).toMatchObject({ code: '276', name: 'West Germany', population: 62 });
  });

  it('return 404 without read access', async () => {
    const { status, body } = await service.get('/api/reference-data/1?include=data', STRANGER);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('are refused for an unknown name, with a list of the known names', async () => {
    const { status, body } = await service.get('/api/reference-data/1?include=data,rows', READER);
    expect([status, body.error]).toEqual([400, 'There is no “rows” to include. Use one of: data, extractedValues']);
  });

  it('are the first thousand rows by key, with the parts of a key joined', async () => {
    await service.database.pool.query(
      `INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data, deleted, valid_from)
       SELECT $1, n, jsonb_build_array(n::text, 'x')::text, jsonb_build_object('1', n::text), n = 2, 3
       FROM generate_series(1500, 1, -1) n`,
      [UNCOLLECTED],
    );
    const { data, extractedValues } = await readIncluded('include=data,extractedValues', CREATOR, UNCOLLECTED);
    const existingCodes = Array.from({ length: 1_500 }, (_, index) => String(index + 1)).filter((code) => code !== '2');
    const first = existingCodes.toSorted().slice(0, INCLUDED_ROWS_MAX);
    expect(extractedValues).toEqual(first.map((code) => `${code} · x`));
    expect(data.map((row: { code: string }) => `${row.code} · x`)).toEqual(extractedValues);
  });

  it('are empty for a data set without rows', async () => {
    expect(await readIncluded('include=data,extractedValues', ADMIN, SECRETS)).toMatchObject({
      data: [],
      extractedValues: [],
    });
  });
});

describe('instances', () => {
  it('are found by key, with leading zeros', async () => {
    const { body } = await service.get('/api/reference-data/1/instances?key=004', READER);
    expect(body).toMatchObject({ total: 1, items: [{ id: 64, key: '004', data: { code: '004', population: 41 } }] });
    expect((await service.get('/api/reference-data/1/instances?key=4', READER)).body.total).toBe(0);
    expect((await service.get('/api/reference-data/1/instances/640', READER)).status).toBe(404);
  });

  it('have a history with changes', async () => {
    const { body } = await service.get('/api/reference-data/1/instances/128/history', READER);
    expect(body.items).toMatchObject([
      {
        seq: 6,
        revision: 2,
        changes: { name: { from: 'West Germany', to: 'Germany' }, population: { from: 62, to: 84 } },
      },
      { seq: 3, revision: 1, userId: 12, changes: {} },
    ]);
  });

  it('have a history that names the API key of a change', async () => {
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO identity.api_keys (id, name, description, scopes, created_by) VALUES (7, 'Nightly', '', '[]', 1)`,
    );
    await pool.query(
      `INSERT INTO ${tableOf('audit_logs')} (seq, actor_id, api_key_id) VALUES (3, 12, NULL), (6, 1, 7)`,
    );
    const { body } = await service.get('/api/reference-data/1/instances/128/history', READER);
    expect(body.items).toMatchObject([
      { seq: 6, apiKeyId: 7, apiKeyName: 'Nightly' },
      { seq: 3, apiKeyId: null, apiKeyName: null },
    ]);
  });

  it('are returned as of an instant or a seq', async () => {
    for (const asOf of ['2026-01-15T00:00:00Z', 'seq:4']) {
      const { body } = await service.get(`/api/reference-data/1/instances?asOf=${asOf}&q=germany`, READER);
      expect(body).toMatchObject({ total: 1, position: 'seq:4', items: [{ data: { name: 'West Germany' } }] });
    }
    expect((await service.get('/api/reference-data?asOf=seq:4', READER)).body.items).toMatchObject([
      { instanceCount: 4 },
    ]);
    for (const asOf of ['seq:1', '1970-01-01', '0000-01-01']) {
      expect((await service.get(`/api/reference-data?asOf=${asOf}`, READER)).body.items).toEqual([]);
    }
    // A result for the future would change later.
    for (const late of [new Date(Date.now() + 60_000).toISOString(), '9999-12-31T23:59:59-12:00', 'seq:999999']) {
      const refused = await service.get(`/api/reference-data?asOf=${late}`, READER);
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('asOf is in the future')]);
    }
  });

  it('return 503 as of a time that their tables have not reached', async () => {
    const { pool } = service.database;
    const setProjectedSeq = (seq: number) =>
      pool.query(`UPDATE platform.builds SET seq = $1 WHERE name = 'instances'`, [seq]);
    const paths = ['/instances?', '/export?', '/instances/128?', '/instances/128/history?'];
    try {
      await setProjectedSeq(5);
      // This request makes the service read the positions of the builds again, with the seq set above.
      await service.get('/api/reference-data/1/instances', READER, { 'X-Min-Position': '200' });
      for (const asOf of ['seq:6', '2026-02-10T00:00:00Z']) {
        for (const path of paths) {
          const refused = await service.get(`/api/reference-data/1${path}asOf=${asOf}`, READER);
          expect([path, refused.status, refused.body.code]).toEqual([path, 503, 'BEHIND']);
        }
      }
      // Reads of a time that the tables have reached succeed, and so do reads of tables that are not behind.
      expect((await service.get('/api/reference-data/1/instances?asOf=seq:4&q=germany', READER)).body.total).toBe(1);
      expect((await service.get('/api/reference-types?asOf=seq:6', READER)).status).toBe(200);
      const pendingRead = service.get('/api/reference-data/1/instances?asOf=seq:6', READER);
      await setProjectedSeq(6);
      await pool.query(`SELECT pg_notify('projected', '{"from":6,"to":6}')`);
      expect((await pendingRead).body).toMatchObject({ total: 5, position: 'seq:6' });
    } finally {
      await setProjectedSeq(10);
    }
  });

  it('are exported as CSV with formulas neutralised, and as JSON', async () => {
    const csv = await service.get('/api/reference-data/1/export', READER);
    expect(csv.headers.get('Content-Disposition')).toContain('filename="Countries.csv"');
    expect(csv.body.split('\r\n')).toEqual([
      'code,name,population,member,since',
      '004,Afghanistan,41,true,1946-11-19',
      '100%,germany,not a number,,',
      '276,Germany,84,true,1973-09-18',
      '336,"Holy ""See"", Rome",0.001,false,',
      "756,'=Switzerland,8.9,true,2002-09-10",
      '',
    ]);
    const json = await service.get(`/api/reference-data/1/export?format=json&q=see`, READER);
    expect(json.body).toEqual([
      { code: '336', name: 'Holy "See", Rome', population: 0.001, member: false, since: null },
    ]);
    expect((await service.get('/api/reference-data/1/export?q=nothing', READER)).body).toBe(
      'code,name,population,member,since\r\n',
    );
  });
});

describe('freshness', () => {
  it('delays a read until the read model has the position, or reports X-Behind', async () => {
    const behind = await service.get('/api/reference-types', READER, { 'X-Min-Position': '200' });
    expect([behind.headers.get('X-Position'), behind.headers.get('X-Behind')]).toEqual(['100', 'true']);
    // The missing row may be the user's own last write, so the answer is not 404.
    const unseen = await service.get('/api/reference-types/777', READER, { 'X-Min-Position': '200' });
    expect([unseen.status, unseen.body.code, unseen.headers.get('Retry-After')]).toEqual([503, 'BEHIND', '1']);
    expect((await service.get('/api/reference-types/777', READER)).status).toBe(404);
    const { pool } = service.database;
    const pendingRead = service.get('/api/reference-types', READER, { 'X-Min-Position': '200' });
    await pool.query(`UPDATE platform.builds SET commit_position = '250' WHERE name = 'reference_types'`);
    await pool.query(`SELECT pg_notify('projected', '{"from":1,"to":2}')`);
    const fresh = await pendingRead;
    expect([fresh.headers.get('X-Position'), fresh.headers.get('X-Behind')]).toEqual(['250', null]);
  });
});

describe('the data set graph', () => {
  it('shows readable neighbours only', async () => {
    const { body } = await service.get('/api/reference-data/1/graph', READER);
    expect(body).toMatchObject({
      nodes: [{ id: 1, name: 'Countries', instanceCount: 5, more: 0 }],
      edges: [{ kind: 'crosswalk', id: 1 }],
    });
    const whole = await service.get('/api/reference-data/1/graph', ADMIN);
    expect(whole.body.nodes.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect(whole.body.edges).toHaveLength(3);
  });
});

describe('collections', () => {
  it('are listed with the level of the viewer', async () => {
    expect((await service.get('/api/collections', READER)).body.items).toMatchObject([
      { id: 1, level: 'READ', dataSetCount: 1 },
    ]);
  });

  it.each(['', '/items', '/permissions', '/activity', '/effective-access?userId=1'])(
    'are shown to their administrators alone: /api/collections/1%s',
    async (path) => {
      expect((await service.get(`/api/collections/1${path}`, ADMIN)).status).toBe(200);
      expect((await service.get(`/api/collections/1${path}`, READER)).status).toBe(403);
      expect((await service.get(`/api/collections/1${path}`, STRANGER)).status).toBe(404);
    },
  );

  it('count the pending mappings of their data sets', async () => {
    const { pool } = service.database;
    await pool.query(`INSERT INTO ${tableOf('mapping_counts')} (crosswalk_id, pending) VALUES (1, 4)`);
    const { body } = await service.get('/api/collections', ADMIN);
    expect(body.items[0]).toMatchObject({ id: 1, pendingCount: 4 });
    await pool.query(`DELETE FROM ${tableOf('mapping_counts')}`);
    expect((await service.get('/api/collections/1/items', ADMIN)).body.items).toMatchObject([
      { id: 1, name: 'Countries', level: 'ADMIN' },
    ]);
  });

  it('return their grants to their administrators', async () => {
    expect((await service.get('/api/collections/1/permissions', READER)).status).toBe(403);
    await service.signIn(READER);
    const { body } = await service.get('/api/collections/1/permissions', ADMIN);
    expect(body.items).toMatchObject([
      { entityType: 'user', entityId: READER, permissionLevel: 'READ', name: 'User 10' },
    ]);
    const effective = await service.get(`/api/collections/1/effective-access?userId=${READER}`, ADMIN);
    expect(effective.body).toEqual({
      userId: READER,
      level: 'READ',
      sources: [{ kind: 'user', permissionLevel: 'READ' }],
    });
  });
});

describe('identity', () => {
  it('returns the current user, even while the user must change the password', async () => {
    await service.signIn(READER, { requirePasswordChange: true });
    const { body } = await service.get('/api/user', READER);
    expect(body).toMatchObject({
      id: READER,
      username: 'user10',
      roleId: 4,
      isAdmin: false,
      requirePasswordChange: true,
    });
    expect((await service.get('/api/reference-data', READER)).body.code).toBe('PASSWORD_CHANGE_REQUIRED');
    await service.signIn(READER);
  });

  it('lists users, roles and groups only for administrators, and user names for all users', async () => {
    for (const path of ['/api/users', '/api/roles', '/api/groups']) {
      expect([path, (await service.get(path, READER)).status]).toEqual([path, 403]);
      expect([path, (await service.get(path, ADMIN)).status]).toEqual([path, 200]);
    }
    expect((await service.get(`/api/users/names?ids=${READER},999,x`, READER)).body).toEqual([
      { id: READER, username: 'user10', displayName: 'User 10' },
    ]);
    const directory = await service.get('/api/users/directory?q=user1', READER);
    expect(directory.body.users.map(({ id }: { id: number }) => id)).toContain(READER);
    expect((await service.get('/api/users/directory?q=%00', READER)).status).toBe(400);
  });
});

describe('jobs', () => {
  const FILE = '6f3b0b9e-0000-4000-8000-000000000001';

  beforeAll(async () => {
    const counts = JSON.stringify({ total: 4, created: 2, changed: 0, unchanged: 0, failed: 2, skipped: 0 });
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO command.staged_files (id, owner_id, file_name, view, complete)
       VALUES ($1, 10, 'a.csv', '{"fileName":"a.csv","columns":["code","name"]}', true)`,
      [FILE],
    );
    await pool.query(
      `INSERT INTO ${tableOf('import_jobs')} (job_id, job_type, data_set_id, data_set_ids, description, status, started_by, mode, columns, file_id)
       VALUES (1, 'DATASET_INSTANCES_IMPORT', 1, '{1}', 'first import', 'IN_PROGRESS', 10, 'insert', '{}', $1),
              (2, 'DATASET_INSTANCES_IMPORT', 2, '{2}', 'secret import', 'DONE', 1, 'insert', '{}', $1)`,
      [FILE],
    );
    await pool.query(
      `INSERT INTO jobs.progress (job_id, parent_job_id, phase, status, processed, total, counts, rate)
       VALUES (1, NULL, 'IMPORT', 'IN_PROGRESS', 1, 4, $1, 2), (3, 1, 'VALIDATION', 'DONE', 4, 4, $1, NULL)`,
      [counts],
    );
    await pool.query(
      `INSERT INTO jobs.logs (job_id, level, message, record_index, record_data, status, error_type, error_message) VALUES
        (3, 'ERROR', 'Row 2', 2, '{"code":"=1+1","name":"x"}', 'ERROR', 'TYPE', 'not a number'),
        (3, 'ERROR', 'Row 2', 2, '{"code":"=1+1","name":"x"}', 'ERROR', 'KEY', 'no key'),
        (1, 'INFO', 'Started', NULL, NULL, NULL, NULL, NULL)`,
    );
  });

  it('are listed for readable data sets, with progress and children', async () => {
    const { body } = await service.get('/api/jobs', READER);
    expect(body).toMatchObject({
      total: 1,
      items: [{ jobId: 1, jobLevel: 'PARENT', progress: 25, secondsLeft: 2, dataSetName: 'Countries' }],
    });
    const one = await service.get('/api/jobs/1', READER);
    expect(one.body.children).toMatchObject([
      { jobId: 3, parentJobId: 1, jobType: 'VALIDATION', jobLevel: 'CHILD', progress: 100 },
    ]);
    expect((await service.get('/api/jobs/2', READER)).status).toBe(404);
    expect((await service.get('/api/jobs/2/logs', READER)).status).toBe(404);
  });

  it('that failed can be undone only if they wrote rows', async () => {
    const { pool } = service.database;
    const undoAfter = async (counts: object) => {
      await pool.query('UPDATE jobs.progress SET counts = $1 WHERE job_id = 2', [JSON.stringify(counts)]);
      return (await service.get('/api/jobs/2', ADMIN)).body.undo;
    };
    await pool.query(`UPDATE ${tableOf('import_jobs')} SET status = 'FAILED' WHERE job_id = 2`);
    await pool.query(`INSERT INTO jobs.progress (job_id, phase, status, counts) VALUES (2, 'IMPORT', 'FAILED', '{}')`);
    const none = { total: 3, created: 0, changed: 0, unchanged: 0, failed: 0, skipped: 3 };
    expect(await undoAfter(none)).toBeNull();
    for (const count of ['created', 'changed', 'removed']) {
      expect(await undoAfter({ ...none, [count]: 1 }), count).toMatchObject({ state: 'possible' });
    }
    await pool.query('DELETE FROM jobs.progress WHERE job_id = 2');
    await pool.query(`UPDATE ${tableOf('import_jobs')} SET status = 'DONE' WHERE job_id = 2`);
  });

  it('include dry runs only for the owner of the draft, with the number of processed rows', async () => {
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO command.import_drafts (id, owner_id, state, check_job_id, check_status, check_result, check_requested_at)
       VALUES ($1, 10, 'READY', 77, 'IN_PROGRESS', '{"processed": 412, "total": 1000, "counts": {"new": 400, "invalid": 12}}', now())`,
      [FILE],
    );
    const check = {
      jobId: 77,
      jobType: 'VALIDATION',
      jobLevel: 'STANDALONE',
      workflowPhase: 'VALIDATION',
      dataSetId: null,
    };
    const running = {
      ...check,
      description: 'Check of a.csv',
      progress: 41,
      phaseRows: { processed: 412, total: 1000 },
    };
    const { body } = await service.get('/api/jobs', READER);
    expect(body.items).toMatchObject([running, { jobId: 1, phaseRows: { processed: 1, total: 4 } }]);
    const one = await service.get('/api/jobs/77', READER);
    expect(one.body).toMatchObject({
      ...running,
      children: [],
      counts: { created: 400, failed: 12 },
      metadata: { fileId: FILE },
    });
    expect((await service.get('/api/jobs/77/logs', READER)).body.total).toBe(0);
    expect((await service.get('/api/jobs/77', ADMIN)).status).toBe(404);
    await pool.query('DELETE FROM command.import_drafts');
  });

  it('stay below 100 % until all their rows are published', async () => {
    const { pool } = service.database;
    const CORRELATION = '6f3b0b9e-0000-4000-8000-00000000000c';
    const logged = (seq: number, type: string, entityType: string, entityId: number, rows: number) =>
      pool.query(
        `INSERT INTO ${tableOf('audit_logs')} (seq, type, entity_type, entity_id, affected_record_count, correlation_id)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [seq, type, entityType, entityId, rows, CORRELATION],
      );
    await logged(100, 'InstancesAdded', 'instances', 1, 9);
    await logged(101, 'ImportRequested', 'importJob', 1, 1);
    await logged(102, 'InstancesImported', 'instances', 1, 1);
    await logged(103, 'InstancesImported', 'instances', 2, 7);
    expect((await service.get('/api/jobs/1', READER)).body.publishing).toBeNull();
    await pool.query(`UPDATE jobs.progress SET status = 'DONE', processed = 4 WHERE job_id = 1`);
    const publishing = { status: 'IN_PROGRESS', progress: 99, publishing: { rows: 1, of: 2 } };
    expect((await service.get('/api/jobs/1', READER)).body).toMatchObject(publishing);
    expect((await service.get('/api/jobs', READER)).body.items).toMatchObject([publishing]);
    await pool.query(`UPDATE jobs.progress SET status = 'IN_PROGRESS', processed = 1 WHERE job_id = 1`);
  });

  it('have a log that can be filtered by status, and a file of rejected rows after they end', async () => {
    expect((await service.get('/api/jobs/1/logs', READER)).body.total).toBe(3);
    expect((await service.get('/api/jobs/1/logs?status=ERROR', READER)).body.items).toMatchObject([
      { recordIndex: 2, errorMessage: 'not a number' },
      { recordIndex: 2, errorMessage: 'no key' },
    ]);
    expect((await service.get('/api/imports/1/errors', READER)).status).toBe(409);
    const setStatus = (status: string) =>
      service.database.pool.query(`UPDATE ${tableOf('import_jobs')} SET status = $1 WHERE job_id = 1`, [status]);
    await setStatus('DONE');
    const { body } = await service.get('/api/imports/1/errors', READER);
    expect(body).toBe('code,name,reason\r\n\'=1+1,x,"not a number; no key"\r\n');
    await setStatus('IN_PROGRESS');
  });

  it('return a staged file to its owner only', async () => {
    expect((await service.get(`/api/imports/${FILE}`, READER)).body).toEqual({
      fileName: 'a.csv',
      columns: ['code', 'name'],
    });
    expect((await service.get(`/api/imports/${FILE}`, ADMIN)).status).toBe(404);
  });
});

describe('the monitor', () => {
  it('counts readable jobs, and lists the projections', async () => {
    const { body } = await service.get('/api/monitor', READER);
    expect(body).toMatchObject({ jobs: { IN_PROGRESS: 1 }, clients: 0, problems: [] });
    expect(body.projections.map(({ name }: { name: string }) => name)).toContain('instances');
  });

  it('counts ended jobs that the viewer may read, and errors of the viewer’s requests', async () => {
    const { pool } = service.database;
    const readFigures = async (user: number) => {
      const { body } = await service.get('/api/monitor', user);
      const sum = (name: string) =>
        body[name].reduce(
          (total: number, each: Record<string, number>) => total + (each[name === 'errors' ? 'errors' : 'jobs'] ?? 0),
          0,
        );
      return { errors: sum('errors'), jobs: sum('endedJobs') };
    };
    const before = await readFigures(READER);
    await pool.query(`UPDATE ${tableOf('import_jobs')} SET ended_at = now() WHERE job_id IN (1, 2)`);
    await pool.query(
      `INSERT INTO telemetry.errors (at, service, kind, code, message, actor_id)
       VALUES (now(), 'query-api', 'REQUEST', 'X', 'monitored', 10), (now(), 'query-api', 'REQUEST', 'X', 'monitored', 1)`,
    );
    expect(await readFigures(READER)).toEqual({ errors: before.errors + 1, jobs: 1 });
    expect((await readFigures(ADMIN)).jobs).toBe(2);
    await pool.query(`DELETE FROM telemetry.errors WHERE message = 'monitored'`);
    await pool.query(`UPDATE ${tableOf('import_jobs')} SET ended_at = NULL WHERE job_id IN (1, 2)`);
  });
});

describe('the site’s paths', () => {
  const allowed = ({ body }: { body: { items: { path: string; allowed: boolean }[] } }) =>
    body.items.flatMap(({ path, allowed: may }) => (may ? [path] : []));

  it('list the pages that the user may open', async () => {
    const ownPaths = allowed(await service.get('/api/site-paths', READER));
    expect(ownPaths).toEqual(
      expect.arrayContaining(['/', '/reference-data', '/reference-data/:id/edit', '/missing-mappings', '/auth']),
    );
    for (const path of ['/roles', '/users', '/admin/purge-data', '/approvals']) expect(ownPaths).not.toContain(path);
    // Only administrators may request the pages of other users.
    expect(allowed(await service.get(`/api/site-paths?userId=${READER}`, ADMIN))).toEqual(ownPaths);
    expect((await service.get(`/api/site-paths?userId=${ADMIN}`, READER)).status).toBe(403);
  });
});

describe('diagnostics', () => {
  it('return the health of the services to all users, and details to administrators', async () => {
    const ownDiagnostics = await service.get('/api/diagnostics', READER);
    expect(ownDiagnostics.body).toEqual({
      healthy: false,
      parts: { postgres: true, eventStore: false, commandApi: null, projector: true, access: true },
      session: { since: expect.any(String), until: expect.any(String) },
      errors: [],
    });
    const { body } = await service.get('/api/diagnostics', ADMIN);
    expect(body.migrations).toContain('0001-vault');
    expect(body.projections.map(({ name }: { name: string }) => name)).toContain('instances');
  });

  it('contain null for each unknown value', async () => {
    const { body } = await service.get('/api/diagnostics', ADMIN);
    expect(body).toMatchObject({
      eventStore: { isEmbedded: false, version: null, members: null },
      disk: { freeBytes: null, totalBytes: null, databaseBytes: expect.any(Number), logBytes: null },
      log: { head: null },
    });
  });

  it('list all errors for administrators, and a user’s own errors for other users', async () => {
    await service.database.pool.query(
      `INSERT INTO telemetry.errors (at, service, kind, route, status, code, message, correlation_id, actor_id) VALUES
         (now() - interval '2 minutes', 'query-api', 'REQUEST', 'GET /api/jobs', 500, '42P01', 'It failed', 'c1', $1),
         (now() - interval '1 minute', 'projector', 'PROJECTION', NULL, NULL, 'Error', 'It stopped', 'c2', NULL),
         (now(), 'query-api', 'REQUEST', 'GET /api/jobs', 503, 'BEHIND', 'It was behind', 'c3', $2)`,
      [READER, STRANGER],
    );
    const correlationIds = ({ body }: { body: { errors?: object[]; items?: object[] } }) =>
      (body.errors ?? body.items)?.map((error) => (error as { correlationId: string }).correlationId);
    expect(correlationIds(await service.get('/api/diagnostics', ADMIN))).toEqual(['c3', 'c2', 'c1']);
    expect(correlationIds(await service.get('/api/diagnostics', READER))).toEqual(['c1']);
    expect(correlationIds(await service.get('/api/diagnostics/errors', ADMIN))).toEqual(['c3', 'c2', 'c1']);
    expect(correlationIds(await service.get('/api/diagnostics/errors', READER))).toEqual(['c1']);
    expect(correlationIds(await service.get('/api/diagnostics/errors', CREATOR))).toEqual([]);
    const filteredPath = `/api/diagnostics/errors?${filtered({ field: 'status', operator: 'equals', value: 503 })}`;
    expect(correlationIds(await service.get(filteredPath, ADMIN))).toEqual(['c3']);
  });
});

describe('selections', () => {
  it('store the matching rows with revisions, if the viewer may read the data set', async () => {
    const frozen = await service.post(
      '/api/selections',
      {
        kind: 'instances',
        parentId: 1,
        filter: JSON.stringify({
          logic: 'AND',
          conditions: [{ field: 'name', operator: 'contains', value: 'germany' }],
        }),
      },
      READER,
    );
    expect([frozen.status, frozen.body.count]).toEqual([201, 2]);
    const { rows } = await service.database.pool.query(
      'SELECT kind, parent_id, owner_id, items FROM platform.selections WHERE id = $1',
      [frozen.body.selectionId],
    );
    expect(rows).toEqual([
      {
        kind: 'instances',
        parent_id: 1,
        owner_id: READER,
        items: [
          [320, 1],
          [128, 2],
        ],
      },
    ]);
    expect((await service.post('/api/selections', { kind: 'instances', parentId: 1 }, STRANGER)).status).toBe(404);
  });
});

describe('a build that is being replaced', () => {
  it('is not queried after it is retired', async () => {
    const { pool } = service.database;
    const next = schemaOf('reference_types', 2);
    await pool.query(`
      CREATE SCHEMA ${next};
      CREATE TABLE ${next}.reference_data_types AS SELECT * FROM ${tableOf('reference_data_types')};
      UPDATE ${next}.reference_data_types SET description = 'from the new build';
      DROP SCHEMA ${schemaOf('reference_types')} CASCADE;
      UPDATE platform.builds SET serving = false, state = 'RETIRED' WHERE name = 'reference_types';
      INSERT INTO platform.builds (name, version, build, schema_name, state, serving, commit_position, seq)
      VALUES ('reference_types', 1, 2, '${next}', 'SERVING', true, '300', 10)`);
    const { body, headers } = await service.get('/api/reference-types/1', READER);
    expect([body.description, headers.get('X-Position')]).toEqual(['from the new build', '300']);
  });

  it('returns 503 for a column that only the newer version has', async () => {
    const { pool } = service.database;
    await pool.query(`ALTER TABLE ${tableOf('crosswalk_mappings')} RENAME COLUMN deleted TO not_yet`);
    // Without a newer version, the missing column is an internal error.
    expect((await service.get('/api/crosswalks', ADMIN)).status).toBe(500);
    await pool.query(`
      INSERT INTO platform.builds (name, version, build, schema_name, state)
      VALUES ('crosswalks', 2, 2, '${schemaOf('crosswalks', 2)}', 'BUILDING')`);
    for (const path of ['/api/crosswalks', '/api/crosswalks?deleted=true', '/api/crosswalks/1/mappings']) {
      const { status, body, headers } = await service.get(path, ADMIN);
      expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'UNAVAILABLE', '5']);
    }
    expect((await service.get('/api/relationships', ADMIN)).status).toBe(200);
  });
});
