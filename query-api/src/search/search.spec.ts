/** Tests the search on a real PostgreSQL: order, grants, merging and time limits, in small and large data sets. */
import { type AccessEvent, SEEDED_ROLES, type SearchAnswer, streams } from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, dataSetCreated } from '@rdm/contracts/testing/events';
import type { Route } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schemaOf, tableOf } from '../fixtures/database.ts';
import { importProjector } from '../fixtures/projector.ts';
import { ADMINISTRATOR, startWorld, type World } from '../fixtures/world.ts';
import { openSearchPool } from '../read-models/pools.ts';
import type { ReadModels, Tables } from '../read-models/read-models.ts';
import { rawSql, type Sql, toStatement } from '../read-models/sql.ts';
import { searchRoutes } from './search.ts';

const [VIEWER, STRANGER, READER] = [2, 3, 4];
const ROLE_WITHOUT_PAGES = 50;
const [COUNTRIES, REGIONS, SECRET, PAIRS, LARGE, DELETED] = [10, 11, 12, 13, 14, 15];
const LARGE_ROWS = 50_100;

let world: World;
let routes: Route[];

const appendAccess = (event: AccessEvent) => world.append('access-main', event);

/** The rows of a data set are divided into several streams; all rows of this spec are in the first stream. */
const rowStreamOf = (id: number) => streams.instances(id, 0);

type Cells = readonly (string | null)[];

function addDataSet(id: number, name: string, rows: readonly Cells[], keyFieldIds = [1]): void {
  world.append(`dataSet-${id}`, dataSetCreated({ id, name, keyFieldIds }), { dataSetIds: [id] });
  addRows(id, rows, keyFieldIds);
}

function addRows(id: number, rows: readonly Cells[], keyFieldIds = [1], rowsBefore = 0): void {
  world.append(
    rowStreamOf(id),
    {
      type: 'InstancesImported',
      data: {
        jobId: 1,
        schemaRevision: 1,
        keyFieldIds,
        fieldIds: [1, 2, 3],
        rows: rows.map((cells, index): [number, ...(string | null)[]] => [(rowsBefore + index + 1) * 64, ...cells]),
      },
    },
    { dataSetIds: [id] },
  );
}

async function projectAndIndex(): Promise<void> {
  await world.project();
  await (await importProjector()).indexFields(world.pool, schemaOf('instances'));
}

beforeAll(async () => {
  world = await startWorld();
  for (const role of SEEDED_ROLES) appendAccess({ type: 'RoleDefined', data: role });
  appendAccess({
    type: 'RoleDefined',
    data: { roleId: ROLE_WITHOUT_PAGES, name: 'Reader', description: '', routes: [], abilities: [] },
  });
  appendAccess({ type: 'UserRegistered', data: { userId: ADMINISTRATOR, roleId: 1 } });
  appendAccess({ type: 'UserRegistered', data: { userId: READER, roleId: ROLE_WITHOUT_PAGES } });
  for (const userId of [VIEWER, STRANGER]) appendAccess({ type: 'UserRegistered', data: { userId, roleId: 2 } });
  appendAccess(collectionCreated({ collectionId: 7 }));
  appendAccess({
    type: 'CollectionItemsAdded',
    data: { collectionId: 7, dataSetIds: [COUNTRIES, REGIONS, PAIRS, LARGE, DELETED] },
  });
  appendAccess({
    type: 'CollectionPermissionsChanged',
    data: {
      collectionId: 7,
      granted: [VIEWER, READER].map((entityId) => ({ entityType: 'user', entityId, permissionLevel: 'READ' })),
      revoked: [],
    },
  });
  const field = (fieldId: number, name: string) =>
    ({ fieldId, name, dataType: 'string', isPrimaryKey: fieldId === 1 }) as const;
  world.append('referenceType-5', {
    type: 'ReferenceTypeDefined',
    data: { id: 5, name: 'Codes', description: '', fields: [field(1, 'code'), field(2, 'name'), field(3, 'part')] },
  });
  addDataSet(COUNTRIES, 'Country codes', [
    ['CH', 'Switzerland', null],
    ['CHE', 'Confédération', null],
    ['100%', 'All_of_it', null],
    ['1000', 'Allxofxit', null],
    ['GONE', 'Gone', null],
    ['AB', 'CH', null],
    ['CI', 'Côte d’Ivoire, Republic of', null],
    ['ZZ', 'The CH in the middle', null],
  ]);
  addDataSet(REGIONS, 'Regions', [
    ['CH', 'Switzerland', null],
    ['CHX', null, null],
    ['LONG', 'x'.repeat(199), null],
  ]);
  addDataSet(PAIRS, 'Pairs', [['CH', 'Zürich', 'ZH']], [1, 3]);
  addDataSet(DELETED, 'Deleted codes', [['CH', 'Switzerland', null]]);
  // SECRET has more matches than a class of matches returns (`ROWS_PER_CLASS` in rows.ts): they must not displace rows
  // that the viewer may read.
  addDataSet(SECRET, 'Secret regions', [
    ['CH', 'Switzerland', null],
    ...Array.from({ length: 500 }, (_, number) => [`CH${number}`, `Secret place ${number}`, null]),
  ]);
  const largeRows = Array.from({ length: LARGE_ROWS }, (_, number) => [
    `L${String(number).padStart(6, '0')}`,
    number === 77 ? 'Größe des Wolkenkratzers' : `Name of ${number}`,
    null,
  ]);
  // A large data set gets its own partition after the second batch.
  addDataSet(LARGE, 'Large list', largeRows.slice(0, LARGE_ROWS / 2));
  await world.project();
  addRows(LARGE, largeRows.slice(LARGE_ROWS / 2), [1], LARGE_ROWS / 2);
  world.append(`dataSet-${DELETED}`, { type: 'DataSetDeleted', data: {} });
  world.append(rowStreamOf(COUNTRIES), { type: 'InstancesRemoved', data: { ids: [5 * 64] } });
  const crosswalk = { id: 1, name: 'Regions to secrets', sourceSystemId: REGIONS, targetSystemId: SECRET };
  world.append('crosswalk-1', crosswalkDefined(crosswalk));
  world.append(
    'crosswalk-2',
    crosswalkDefined({ ...crosswalk, id: 2, name: 'Regions to countries', targetSystemId: COUNTRIES }),
  );
  await projectAndIndex();
  await world.pool.query(
    `INSERT INTO identity.users (id, username, email, display_name) VALUES (2, 'vera', 'v@example.com', 'Vera Viewer')`,
  );
  routes = searchRoutes(world.context);
}, 120_000);
afterAll(() => world?.stop());

const searchOnce = async (q: string, as = VIEWER, recent?: string) =>
  (await world.request<SearchAnswer>(routes, '/api/search', { query: { q, ...(recent && { recent }) }, as })).body;
/** Repeats a search until it is complete: a search can run out of time if other specs use the processor. */
const search = (...query: Parameters<typeof searchOnce>) =>
  vi.waitFor(
    async () => {
      const answer = await searchOnce(...query);
      if (!answer.complete) throw new Error('Not all rows were searched');
      return answer;
    },
    { timeout: 30_000 },
  );
const findCodes = async (q: string, as?: number) =>
  (await search(q, as)).codes.map(({ code, places }) => `${code} in ${places.map((place) => place.dataSetId).join()}`);

describe('the search for codes and labels', () => {
  it('lists exact codes, then exact labels, then codes that begin with the text, and merges equal rows', async () => {
    expect(await findCodes('ch')).toEqual([
      `CH in ${COUNTRIES},${REGIONS}`,
      `AB in ${COUNTRIES}`,
      `CHE in ${COUNTRIES}`,
      `CHX in ${REGIONS}`,
      `CH · ZH in ${PAIRS}`,
    ]);
    expect((await search('ch')).complete).toBe(true);
  });

  it('lists rows of recently opened data sets first within a class of matches', async () => {
    const { codes } = await search('ch', VIEWER, `${REGIONS}`);
    expect(codes[0]?.places.map(({ dataSetId }) => dataSetId)).toEqual([REGIONS, COUNTRIES]);
    expect(codes.map(({ code }) => code)).toEqual(['CH', 'AB', 'CHX', 'CHE', 'CH · ZH']);
  });

  it.each([
    ['a label regardless of case and accents', 'CONFEDERATION', ['CHE']],
    ['the words of a label in any order', 'ivoire cote', ['CI']],
    ['a part of a label', 'zerl', ['CH']],
    ['a key of several fields', 'ch · zh', ['CH · ZH']],
    ['a percent sign as itself', '100%', ['100%']],
    ['a full-width percent sign as a percent sign', '100％', ['100%']],
    ['an underscore as itself', 'all_of', ['100%']],
    ['a full-width underscore as an underscore', 'all＿of', ['100%']],
    ['a label with accents by a text with the same accents', 'zürich', ['CH · ZH']],
  ])('finds %s', async (_, q, expected) => {
    expect((await search(q)).codes.map(({ code }) => code)).toEqual(expected);
  });

  it.each([
    ['an underscore at the end of the indexed characters as a wildcard', `${'x'.repeat(198)}_`],
    ['a backslash as an escape character', 'all\\_of'],
  ])('does not use %s', async (_, q) => {
    expect((await search(q)).codes).toEqual([]);
  });

  it('finds every part of at least three characters of a label', async () => {
    const label = 'confederation';
    for (let from = 0; from <= label.length - 3; from += 1)
      for (let to = from + 3; to <= label.length; to += 1)
        expect(await findCodes(label.slice(from, to))).toContain(`CHE in ${COUNTRIES}`);
  });

  it('does not find a part of two characters of a label', async () => {
    expect(await findCodes('ri')).toEqual([]);
  });

  it('finds no deleted rows and no rows of deleted data sets', async () => {
    expect(await findCodes('gone')).toEqual([]);
    expect((await search('deleted', ADMINISTRATOR)).dataSets).toEqual([]);
    expect(await findCodes('ch', ADMINISTRATOR)).toContain(`CH in ${COUNTRIES},${REGIONS},${SECRET}`);
  });

  it.each([
    ['a code', 'l000123', 'L000123'],
    ['a label', 'name of 4711', 'L004711'],
    ['the beginning of a code', 'l05009', 'L050090'],
    ['words of a label', 'wolkenkratzers große', 'L000077'],
    ['a part of a label', 'olkenkr', 'L000077'],
  ])('finds %s in a large data set', async (_, q, expected) => {
    const { codes, complete } = await search(q);
    expect({ first: codes[0]?.code, complete }).toEqual({ first: expected, complete: true });
  });
});

describe('the plan of a search', () => {
  interface PlanNode {
    'Node Type': string;
    'Relation Name'?: string;
    'Index Name'?: string;
    Plans?: PlanNode[];
  }
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

  /** Returns the generic plans of the statements for rows, which do not depend on the searched text. */
  async function plansOf(q: string): Promise<PlanNode[]> {
    const builds: ((tables: Tables) => Sql)[] = [];
    const { readModels } = world.context;
    const read: ReadModels['read'] = (request, build, options) => {
      if (options?.timeLimitMs !== undefined) builds.push(build);
      return readModels.read(request, build, options);
    };
    const observed = searchRoutes({ ...world.context, readModels: { ...readModels, read } });
    await world.request(observed, '/api/search', { query: { q }, as: VIEWER });
    const pool = openSearchPool(world.pool.options.connectionString ?? '');
    try {
      const tableNamed = (name: Parameters<Tables>[0]) => rawSql(tableOf(name));
      const tables = Object.assign(tableNamed, { current: tableNamed }) as unknown as Tables;
      const plans = await Promise.all(
        builds.map((build) => pool.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${toStatement(build(tables)).text}`)),
      );
      return plans.flatMap(({ rows }) => nodesOf(rows[0]['QUERY PLAN'][0].Plan));
    } finally {
      await pool.end();
    }
  }

  it('finds rows by the search indexes, whatever the searched text is', async () => {
    const plans = await plansOf('no such row');
    const indexes = new Set(plans.flatMap((node) => node['Index Name']?.replace(/_[0-9a-f]{8}$/, '') ?? []));
    for (const kind of ['code', 'label', 'parts']) expect(indexes).toContain(`of_${LARGE}_search_${kind}`);
    for (const number of [1, 2, 3]) expect(indexes).toContain(`search_entries_${number}`);
    const scanned = plans.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
    expect(scanned.filter((table) => table === 'search_entries' || table?.startsWith('instances'))).toEqual([]);
  });
});

describe('a viewer without READ', () => {
  it.each(['CH', 'CH77', 'Secret place 77', 'l000123', 'secret', 'zzz'])(
    'gets the same answer to “%s” as to a text that no row has',
    async (q) => {
      expect(await search(q, STRANGER)).toEqual({
        dataSets: [],
        definitions: [],
        codes: [],
        people: [],
        complete: true,
      });
    },
  );

  it('does not learn that a code also exists in a data set that the viewer may not read', async () => {
    expect((await search('CH')).codes[0]?.places).toHaveLength(2);
    expect((await search('CH', ADMINISTRATOR)).codes[0]?.places).toHaveLength(3);
  });
});

describe('the search for names', () => {
  it('finds data sets by the words of their names, with exact names and beginnings of names first', async () => {
    const answer = await search('regions', ADMINISTRATOR);
    expect(answer.dataSets).toEqual([
      { id: REGIONS, name: 'Regions', typeName: 'Codes' },
      { id: SECRET, name: 'Secret regions', typeName: 'Codes' },
    ]);
    expect((await search('codes country')).dataSets.map(({ id }) => id)).toEqual([COUNTRIES]);
    expect((await search('regions')).dataSets.map(({ id }) => id)).toEqual([REGIONS]);
  });

  it('finds crosswalks only if the viewer may read both data sets', async () => {
    expect((await search('regions to')).definitions).toEqual([
      { kind: 'crosswalk', id: 2, name: 'Regions to countries', sourceName: 'Regions', targetName: 'Country codes' },
    ]);
    expect((await search('regions to', ADMINISTRATOR)).definitions).toHaveLength(2);
  });

  it('finds crosswalks only for a role that may open their page', async () => {
    expect((await search('regions to', READER)).definitions).toEqual([]);
  });

  it('finds people for administrators only', async () => {
    expect((await search('vera', ADMINISTRATOR)).people).toEqual([
      { id: VIEWER, username: 'vera', displayName: 'Vera Viewer' },
    ]);
    expect((await search('vera')).people).toEqual([]);
  });
});

describe('an incomplete search', () => {
  it('returns the found names and reports that it is incomplete if the time for rows runs out', async () => {
    const client = await world.pool.connect();
    try {
      await client.query(`BEGIN; LOCK TABLE ${tableOf('search_entries')}`);
      expect(await searchOnce('regions')).toMatchObject({ dataSets: [{ id: REGIONS }], codes: [], complete: false });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect((await search('regions')).complete).toBe(true);
  });

  it('reports that it is incomplete while a data set that the viewer may read cannot be searched yet', async () => {
    appendAccess({ type: 'CollectionItemsAdded', data: { collectionId: 7, dataSetIds: [16] } });
    addDataSet(16, 'New codes', [['NEW', 'New', null]]);
    await world.project();
    expect(await searchOnce('new')).toMatchObject({ codes: [], complete: false });
    expect(await search('new', STRANGER)).toMatchObject({ codes: [], complete: true });
    await (await importProjector()).indexFields(world.pool, schemaOf('instances'));
    expect(await findCodes('new')).toEqual(['NEW in 16']);
  });
});
