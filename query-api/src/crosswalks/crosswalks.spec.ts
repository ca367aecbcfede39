/** Tests crosswalks on a real PostgreSQL: lists, suggestions, translation, missing mappings and comparison. */
import {
  type Comparison,
  type CrosswalkIncluded,
  type CrosswalkView,
  INCLUDED_ROWS_MAX,
  type MappingHistoryView,
  type MappingView,
  mappingKey,
  type Page,
  rowId,
  type SuggestionView,
  streams,
  type TranslationView,
} from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, dataSetCreated, mappingsDrafted } from '@rdm/contracts/testing/events';
import type { Route } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableOf } from '../fixtures/database.ts';
import { startWorld, type World } from '../fixtures/world.ts';
import { createMatching } from '../matching/matching.ts';
import { trigramSimilarity } from '../matching/similarity.ts';
import { definitionHistoryRoutes } from '../review/definition-history.ts';
import { comparisonRoutes } from './comparison.ts';
import { comparisonExportRoutes } from './comparison-export.ts';
import { type CrosswalkStatistics, crosswalkRoutes } from './crosswalks.ts';
import { mappingExportRoutes } from './mapping-export.ts';
import { mappingRoutes } from './mappings.ts';
import { type MissingMappingView, missingMappingRoutes } from './missing-mappings.ts';
import { suggestionRoutes } from './suggestions.ts';
import { translateRoutes } from './translate.ts';

const [ADMIN, STEWARD, VIEWER] = [1, 2, 4];
const [ALPHA2, ALPHA3, SECRET] = [10, 11, 12];
const [CODE, NAME] = [1, 2];
const COUNTRIES: [string, string, string][] = [
  ['DE', 'DEU', 'Germany'],
  ['FR', 'FRA', 'France'],
  ['CI', 'CIV', "Côte d'Ivoire"],
  ['BO', 'BOL', 'Bolivia'],
  ['PL', 'POL', 'Poland'],
];

let world: World;
let routes: Route[];
const mappingId = (sequence: number, sourceValue: string) => rowId(sequence, mappingKey(sourceValue));

function appendDataSet(id: number, name: string, rows: [string, string][]): void {
  world.append(`dataSet-${id}`, dataSetCreated({ id, name, keyFieldIds: [CODE] }));
  rows.forEach(([code, label], index) => {
    const key = JSON.stringify([code]);
    const row = rowId(id * 1_000 + index, key);
    const stream = streams.instances(id, row % 64);
    const values = { [CODE]: code, [NAME]: label };
    const data = { schemaRevision: 1, keyFieldIds: [CODE], rows: [{ id: row, values }] };
    world.append(stream, { type: 'InstancesAdded', data }, { dataSetIds: [id] });
  });
}

function appendCrosswalk(id: number, source: number, target: number, actor = STEWARD): void {
  const data = { sourceSystemId: source, targetSystemId: target, sourceFieldId: CODE, targetFieldId: CODE };
  world.append(`crosswalk-${id}`, crosswalkDefined({ id, name: `Crosswalk ${id}`, ...data }), {
    actor,
    dataSetIds: [source, target],
  });
}

type Verb = 'MappingsSubmitted' | 'MappingsApproved' | 'MappingsRejected' | 'MappingsRevoked' | 'MappingsDeleted';

function appendMapping(crosswalkId: number, id: number, pair: [string, string], ...verbs: Verb[]): void {
  const stream = streams.mappings(crosswalkId, id % 64);
  const metadata = { dataSetIds: [ALPHA2, ALPHA3] };
  const [sourceValue, targetValue] = pair;
  world.append(stream, mappingsDrafted({ id, sourceValue, targetValue }), { actor: STEWARD, ...metadata });
  for (const type of verbs) {
    // A spreadsheet would run a cell that begins with =, so exports have to escape it.
    const comment = `=because of ${type}`;
    world.append(stream, { type, data: { ids: [id], comment } }, { actor: ADMIN, ...metadata });
  }
}

beforeAll(async () => {
  world = await startWorld();
  const { append } = world;
  append('access-main', { type: 'UserRegistered', data: { userId: ADMIN, roleId: 1 } });
  for (const userId of [STEWARD, VIEWER]) {
    append('access-main', { type: 'UserRegistered', data: { userId, roleId: 2 } });
  }
  append('access-main', collectionCreated({ collectionId: 1, name: 'Geography', ownerId: STEWARD }));
  append('access-main', {
    type: 'CollectionItemsAdded',
    data: { collectionId: 1, dataSetIds: [ALPHA2, ALPHA3] },
  });
  const viewer = { entityType: 'user' as const, entityId: VIEWER, permissionLevel: 'READ' as const };
  append('access-main', {
    type: 'CollectionPermissionsChanged',
    data: { collectionId: 1, granted: [viewer], revoked: [] },
  });
  append('referenceType-5', {
    type: 'ReferenceTypeDefined',
    data: {
      id: 5,
      name: 'Country',
      description: '',
      fields: [
        { fieldId: CODE, name: 'code', dataType: 'string', isPrimaryKey: true },
        { fieldId: NAME, name: 'name', dataType: 'string', isPrimaryKey: false },
      ],
    },
  });
  appendDataSet(
    ALPHA2,
    'Alpha-2',
    COUNTRIES.map(([alpha2, , name]) => [alpha2, name]),
  );
  appendDataSet(ALPHA3, 'Alpha-3', [
    ...COUNTRIES.map(([, alpha3, name]): [string, string] => [
      alpha3,
      name === 'Bolivia' ? 'Bolivia (Plurinational State of)' : name === "Côte d'Ivoire" ? 'Cote D’Ivoire' : name,
    ]),
    ['XKX', 'Kosovo'],
  ]);
  appendDataSet(SECRET, 'Secret', [['DE', 'Deutschland']]);
  appendCrosswalk(1, ALPHA2, ALPHA3);
  append('crosswalk-1', { type: 'CrosswalkValuesStarted', data: {} });
  appendMapping(1, mappingId(1, 'DE'), ['DE', 'DEU'], 'MappingsSubmitted', 'MappingsApproved');
  appendMapping(1, mappingId(2, 'FR'), ['FR', 'FRX'], 'MappingsSubmitted', 'MappingsRejected');
  appendMapping(1, mappingId(3, 'ZZ'), ['ZZ', 'ZZZ'], 'MappingsSubmitted', 'MappingsApproved');
  appendCrosswalk(2, SECRET, ALPHA3, ADMIN);
  await world.project();
  const routeFactories = [
    suggestionRoutes,
    crosswalkRoutes,
    mappingExportRoutes,
    mappingRoutes,
    definitionHistoryRoutes,
    translateRoutes,
    missingMappingRoutes,
    comparisonRoutes,
    comparisonExportRoutes,
  ];
  routes = routeFactories.flatMap((createRoutes) => createRoutes(world.context));
}, 120_000);
afterAll(() => world?.stop());

const readAsSteward = <Body>(path: string, options: Parameters<World['request']>[2] = {}) =>
  world.request<Body>(routes, path, { as: STEWARD, ...options }).then(({ body }) => body);

describe('crosswalks', () => {
  it('are listed with counts and the mapped share to users who may read both data sets', async () => {
    const { items, total } = await readAsSteward<Page<CrosswalkView>>('/api/crosswalks');
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      name: 'Crosswalk 1',
      sourceName: 'Alpha-2',
      targetName: 'Alpha-3',
      sourceAttribute: 'code',
      approvalStatus: 'DRAFT',
      isServed: false,
      counts: { draft: 0, pending: 0, approved: 2, rejected: 1, served: 2 },
      mappedPercent: 20,
      missingCount: 0,
      level: 'ADMIN',
    });
    expect(items[0]).not.toHaveProperty('sourceCreatedBy');
    expect((await readAsSteward<Page<CrosswalkView>>('/api/crosswalks', { as: ADMIN })).total).toBe(2);
    expect((await readAsSteward<CrosswalkView>('/api/crosswalks/1', { as: VIEWER })).level).toBe('READ');
  });
  it('without mappings have the mapped share 0, even if the source data set is large', async () => {
    const countRows = (rows: number) =>
      world.pool.query(`UPDATE ${tableOf('data_set_counts')} SET instances = $1 WHERE data_set_id = $2`, [
        rows,
        SECRET,
      ]);
    const shareOf = async () => (await readAsSteward<CrosswalkView>('/api/crosswalks/2', { as: ADMIN })).mappedPercent;
    expect(await shareOf()).toBe(0);
    await countRows(30_000);
    expect(await shareOf()).toBe(0);
    await countRows(1);
  });
  it('are not found (404) by users who may not read them', async () => {
    for (const path of ['', '/mappings', '/suggestions', '/statistics', '/export']) {
      await expect(readAsSteward(`/api/crosswalks/2${path}`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(readAsSteward('/api/crosswalks/2/translate', { query: { value: 'DE' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
  it('count the served mappings whose source or target value no longer exists in its data set', async () => {
    expect(await readAsSteward<CrosswalkStatistics>('/api/crosswalks/1/statistics')).toMatchObject({
      sourceRows: 5,
      targetRows: 6,
      brokenSources: 1,
      brokenTargets: 1,
      ambiguousSources: 0,
    });
  });
  it('can be sorted by each of several fields, and filtered', async () => {
    for (const sort of ['mappedPercent', 'missingCount', 'pending', 'lastApprovedAt', 'sourceName']) {
      expect(
        (await readAsSteward<Page<CrosswalkView>>('/api/crosswalks', { query: { sort, order: 'DESC' } })).total,
      ).toBe(1);
    }
    const filter = JSON.stringify({ conditions: [{ field: 'mappedPercent', operator: 'less_than', value: 20 }] });
    expect((await readAsSteward<Page<CrosswalkView>>('/api/crosswalks', { query: { filter } })).total).toBe(0);
  });
  it('can be read as of the past', async () => {
    const drafted = world.events.findIndex((event) => event.type === 'MappingsDrafted') + 1;
    const query = { asOf: `seq:${drafted}` };
    const { items } = await readAsSteward<Page<CrosswalkView>>('/api/crosswalks', { query });
    expect(items[0]?.counts).toMatchObject({ draft: 1, approved: 0 });
    const mappings = await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', { query });
    expect(mappings.items.map((row) => [row.sourceValue, row.status])).toEqual([['DE', 'DRAFT']]);
  });
  it('list mappings with the requested fields, and always with their ids, values and labels', async () => {
    const path = '/api/crosswalks/1/mappings';
    const whole = await readAsSteward<Page<MappingView>>(path);
    expect(whole.items.map(({ sourceLabel }) => sourceLabel)).toContain('Germany');
    const { items } = await readAsSteward<Page<MappingView>>(path, { query: { fields: 'id' } });
    const always = ['id', 'revision', 'sourceValue', 'targetValue', 'served'] as const;
    const labels = ['sourceLabel', 'targetLabel', 'sourceMissing', 'targetMissing', 'servedMissing'] as const;
    const expected = (row: MappingView) => Object.fromEntries([...always, ...labels].map((name) => [name, row[name]]));
    expect(items).toEqual(whole.items.map(expected));
  });
});

describe('the mapping data of a crosswalk', () => {
  const readWithMappingData = (
    id = 1,
    { as = STEWARD, ...query }: { as?: number; asOf?: string; include?: string } = {},
  ) =>
    readAsSteward<CrosswalkView & CrosswalkIncluded>(`/api/crosswalks/${id}`, {
      as,
      query: { include: 'mappingData', ...query },
    });

  it('is included on request', async () => {
    const plain = await readAsSteward<CrosswalkView>('/api/crosswalks/1');
    expect(plain).not.toHaveProperty('mappingData');
    const { mappingData, ...crosswalk } = await readWithMappingData();
    expect(crosswalk).toEqual(plain);
    const { mappings, ...attributes } = mappingData ?? {};
    expect(attributes).toEqual({
      sourceAttribute: 'code',
      targetAttribute: 'code',
      sourceField: CODE,
      targetField: CODE,
    });
    expect(mappings?.map(({ sourceValue, targetValue, status }) => [sourceValue, targetValue, status])).toEqual([
      ['DE', 'DEU', 'APPROVED'],
      ['FR', 'FRX', 'REJECTED'],
      ['ZZ', 'ZZZ', 'APPROVED'],
    ]);
    const drafted = world.events.find((event) => event.type === 'MappingsDrafted');
    expect({ ...mappings?.[0], createdAt: new Date(mappings?.[0]?.createdAt ?? '').toISOString() }).toEqual({
      id: mappingId(1, 'DE'),
      sourceValue: 'DE',
      targetValue: 'DEU',
      confidence: 100,
      status: 'APPROVED',
      createdAt: drafted?.metadata.occurredAt,
      createdBy: STEWARD,
      submissionComment: '=because of MappingsSubmitted',
    });
  });
  it('is returned as of the past', async () => {
    const drafted = world.events.findIndex((event) => event.type === 'MappingsDrafted') + 1;
    const { mappingData, counts } = await readWithMappingData(1, { asOf: `seq:${drafted}` });
    expect(counts).toMatchObject({ draft: 1, approved: 0 });
    expect(mappingData?.mappings).toMatchObject([{ sourceValue: 'DE', status: 'DRAFT', submissionComment: null }]);
  });
  it('requires read access to both data sets, and is refused for an unknown value of include', async () => {
    expect((await readWithMappingData(1, { as: VIEWER })).mappingData?.mappings).toHaveLength(3);
    await expect(readWithMappingData(2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(readWithMappingData(1, { include: 'mappings' })).rejects.toMatchObject({
      code: 'INVALID',
      message: 'There is no “mappings” to include. Use one of: mappingData',
    });
  });
  it('has the first thousand mappings by id, without deleted ones', async () => {
    expect((await readWithMappingData(2, { as: ADMIN })).mappingData?.mappings).toEqual([]);
    await world.pool.query(
      `INSERT INTO ${tableOf('crosswalk_mapping_values')}
         (crosswalk_id, id, source_value, target_value, confidence, approval_status, deleted, created_at, valid_from)
       SELECT 2, n, 'S' || n, 'T' || n, 100, 'DRAFT', n = 2, now(), 1 FROM generate_series(1500, 1, -1) n`,
    );
    const ids = (await readWithMappingData(2, { as: ADMIN })).mappingData?.mappings.map(({ id }) => id) ?? [];
    await world.pool.query(`DELETE FROM ${tableOf('crosswalk_mapping_values')} WHERE crosswalk_id = 2`);
    expect(ids).toHaveLength(INCLUDED_ROWS_MAX);
    expect([ids.slice(0, 2), ids.at(-1)]).toEqual([[1, 3], 1001]);
  });
});

describe('mappings', () => {
  const values = async (query: Record<string, string>) =>
    (await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', { query })).items.map(
      (row) => row.sourceValue,
    );
  it('are listed by tab, with labels', async () => {
    expect(await values({ tab: 'approved' })).toEqual(['DE', 'ZZ']);
    expect(await values({ tab: 'rejected' })).toEqual(['FR']);
    expect(await values({ tab: 'unmapped' })).toEqual(['BO', 'CI', 'PL']);
    expect(await values({ q: 'fr' })).toEqual(['FR']);
    expect(await values({ page: '2', pageSize: '2', sort: 'sourceValue' })).toEqual(['ZZ']);
    const { items } = await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', {
      query: { tab: 'approved' },
    });
    expect(items[0]).toMatchObject({
      sourceLabel: 'Germany',
      targetLabel: 'Germany',
      served: { targetValue: 'DEU', confidence: 100 },
      createdBy: STEWARD,
      approvedBy: ADMIN,
    });
    expect(items[0]).toMatchObject({ sourceMissing: false, targetMissing: false, servedMissing: false });
    expect(items[1]).toMatchObject({ sourceValue: 'ZZ', sourceLabel: null, targetLabel: null });
    expect(items[1]).toMatchObject({ sourceMissing: true, targetMissing: true, servedMissing: true });
  });
  it('are listed with the best candidate in the tab Suggested', async () => {
    const query = { tab: 'suggested' };
    const { items, total } = await readAsSteward<Page<MappingView & { reason: string }>>('/api/crosswalks/1/mappings', {
      query,
    });
    expect(total).toBe(3);
    expect(items.map((row) => [row.sourceValue, row.targetValue, row.confidence, row.revision])).toEqual([
      ['BO', 'BOL', 66, 0],
      ['CI', 'CIV', 85, 0],
      ['PL', 'POL', 90, 0],
    ]);
    const mostConfident = await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', {
      query: { ...query, sort: 'confidence' },
    });
    expect(mostConfident.items.map((row) => row.sourceValue)).toEqual(['PL', 'CI', 'BO']);
    const searched = await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', {
      query: { ...query, q: 'pol' },
    });
    expect(searched).toMatchObject({ total: 1, items: [{ sourceValue: 'PL' }], progress: null, bounded: false });
  });
  it('are counted for every tab', async () => {
    expect(await readAsSteward('/api/crosswalks/1/mappings/counts')).toEqual({
      unmapped: 3,
      suggested: 3,
      progress: null,
      draft: 0,
      pending: 0,
      approved: 2,
      rejected: 1,
      broken: 1,
      deleted: 0,
      dismissed: 0,
    });
  });
  it('have a history', async () => {
    const path = `/api/crosswalks/1/mappings/${mappingId(2, 'FR')}/history`;
    const { items, ...page } = await readAsSteward<Page<MappingHistoryView>>(path);
    expect(page).toMatchObject({ page: 1, pageSize: 50, total: 3 });
    expect(
      items.map(({ type, prevStatus, newStatus, userId, comment }) => [type, prevStatus, newStatus, userId, comment]),
    ).toEqual([
      ['MappingsRejected', 'PENDING', 'REJECTED', ADMIN, '=because of MappingsRejected'],
      ['MappingsSubmitted', 'DRAFT', 'PENDING', ADMIN, '=because of MappingsSubmitted'],
      ['MappingsDrafted', null, 'DRAFT', STEWARD, undefined],
    ]);
    // A page has the same entries as the whole history.
    const second = await readAsSteward<Page<MappingHistoryView>>(path, { query: { page: '2', pageSize: '2' } });
    expect(second).toMatchObject({ items: [items[2]], page: 2, pageSize: 2, total: 3 });
    await expect(readAsSteward('/api/crosswalks/1/mappings/999/history')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
  it('have a history that names the API key of a change', async () => {
    await world.pool.query(
      `INSERT INTO identity.api_keys (id, name, description, scopes, created_by) VALUES (7, 'Nightly', '', '[]', 1)`,
    );
    const id = mappingId(10, 'YY');
    const byKey = { apiKeyId: 7, dataSetIds: [ALPHA2, ALPHA3] };
    const stream = streams.mappings(1, id % 64);
    world.append(stream, mappingsDrafted({ id, sourceValue: 'YY', targetValue: 'YYY' }), byKey);
    world.append(stream, { type: 'MappingsDeleted', data: { ids: [id] } }, byKey);
    world.append('crosswalk-1', { type: 'CrosswalkDetailsChanged', data: { similarityThreshold: 0.5 } }, byKey);
    await world.project();
    const latestIn = async (path: string) => (await readAsSteward<Page<MappingHistoryView>>(path)).items[0];
    for (const path of [`/api/crosswalks/1/mappings/${id}/history`, '/api/crosswalks/1/history']) {
      expect(await latestIn(path)).toMatchObject({ userId: ADMIN, apiKeyId: 7, apiKeyName: 'Nightly' });
    }
    expect(await latestIn(`/api/crosswalks/1/mappings/${mappingId(1, 'DE')}/history`)).toMatchObject({
      apiKeyId: null,
      apiKeyName: null,
    });
  });
  it('have a history that ends with the deletion', async () => {
    const id = mappingId(9, 'XX');
    appendMapping(1, id, ['XX', 'XXX'], 'MappingsSubmitted', 'MappingsDeleted');
    await world.project();
    const { items } = await readAsSteward<Page<MappingHistoryView>>(`/api/crosswalks/1/mappings/${id}/history`);
    expect(items.map(({ newStatus }) => newStatus)).toEqual(['DELETED', 'PENDING', 'DRAFT']);
    const first = items.at(-1);
    const past = { query: { asOf: `seq:${first?.seq}` } };
    expect(await readAsSteward(`/api/crosswalks/1/mappings/${id}/history`, past)).toMatchObject({
      items: [first],
      total: 1,
    });
  });
  it('are exported in a stable order, with formulas neutralised', async () => {
    const path = '/api/crosswalks/1/export';
    const csv = await world.download(routes, path, { as: STEWARD, query: { tab: 'rejected' } });
    expect(csv.headers['content-disposition']).toContain('Crosswalk 1.csv');
    const [head, row, end] = csv.text.split('\r\n');
    expect(head).toMatch(/^id,revision,sourceValue,targetValue,/);
    expect(row).toContain('FR,FRX,100,REJECTED,,,false,2,1,');
    expect(row).toContain("'=because");
    expect(end).toBe('');
    const json = await world.download(routes, path, { as: STEWARD, query: { format: 'json' } });
    expect(JSON.parse(json.text)).toMatchObject([
      { sourceValue: 'DE', servedValue: 'DEU' },
      { sourceValue: 'FR', servedValue: null },
      { sourceValue: 'ZZ', servedValue: 'ZZZ' },
    ]);
  });
  it('can be frozen by tab, with their revisions', async () => {
    const body = { kind: 'mappings', parentId: 1, tab: 'approved', q: 'de' };
    const request = { body, access: world.access(), needs: { level: 'READ' }, principal: { userId: STEWARD } };
    const build = await world.context.freezable.get('mappings')?.query(request as never, {});
    const frozen = await world.context.readModels.read({}, build as never);
    expect(frozen.rows).toEqual([{ id: mappingId(1, 'DE'), revision: 3 }]);
  });
});

describe('suggestions', () => {
  it('are returned for each unmapped value, with the reason', async () => {
    const { items, total } = await readAsSteward<Page<SuggestionView>>('/api/crosswalks/1/suggestions');
    expect(total).toBe(3);
    expect(
      items.map(({ sourceValue, candidates: [first] }) => [sourceValue, first?.targetValue, first?.reason]),
    ).toEqual([
      ['BO', 'BOL', 'The source label “Bolivia” is contained in the target label “Bolivia (Plurinational State of)”'],
      ['CI', 'CIV', 'Both are labelled “Cote D’Ivoire”, apart from case, accents and punctuation'],
      ['PL', 'POL', 'Both are labelled “Poland”'],
    ]);
  });
  it('can be limited to those with a minimum confidence', async () => {
    const query = { minConfidence: '85' };
    const confident = await readAsSteward<Page<SuggestionView> & { bounded: boolean }>(
      '/api/crosswalks/1/suggestions',
      {
        query,
      },
    );
    expect(confident).toMatchObject({
      total: 2,
      bounded: false,
      progress: null,
      ambiguous: { total: 0, examples: [] },
    });
    expect(confident.items.map((item) => item.sourceValue)).toEqual(['CI', 'PL']);
    const allSuggestions = await readAsSteward<Page<SuggestionView>>('/api/crosswalks/1/suggestions', {
      query: { minConfidence: '60' },
    });
    expect(allSuggestions.items.map((item) => item.sourceValue)).toEqual(['BO', 'CI', 'PL']);
  });
  it('can be previewed for a crosswalk that does not exist yet', async () => {
    const query = {
      sourceSystemId: String(ALPHA2),
      targetSystemId: String(ALPHA3),
      sourceAttribute: 'code',
      targetAttribute: 'code',
    };
    const preview = await readAsSteward<{ items: SuggestionView[]; suggested: number }>(
      '/api/crosswalks/suggestions-preview',
      {
        query,
      },
    );
    expect(preview.suggested).toBe(4);
    expect(preview.items.map(({ sourceValue, candidates: [first] }) => [sourceValue, first?.targetValue])).toEqual([
      ['CI', 'CIV'],
      ['DE', 'DEU'],
      ['FR', 'FRA'],
      ['PL', 'POL'],
      ['BO', 'BOL'],
    ]);
    const path = '/api/crosswalks/suggestions-preview';
    await expect(readAsSteward(path, { query: { ...query, targetAttribute: 'nothing' } })).rejects.toMatchObject({
      code: 'INVALID',
    });
    await expect(readAsSteward(path, { query: { ...query, targetSystemId: String(SECRET) } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
  it('use the same trigram similarity as PostgreSQL', async () => {
    const texts = ['Germany', 'germny', 'New York', 'york new', 'a', '', 'Saint Kitts 12', 'x-y z'];
    const pairs = texts.flatMap((a) => texts.map((b) => ({ a, b })));
    const { rows } = await world.pool.query(
      'SELECT similarity(a, b) AS likeness FROM jsonb_to_recordset($1) AS pair(a text, b text)',
      [JSON.stringify(pairs)],
    );
    for (const [index, { a, b }] of pairs.entries()) {
      expect(trigramSimilarity(a, b), `${a} / ${b}`).toBeCloseTo(rows[index].likeness, 5);
    }
  });
});

describe('translation, missing mappings and comparison', () => {
  const translate = (values: string[], query: Record<string, string> = {}) =>
    readAsSteward<TranslationView[]>('/api/crosswalks/1/translate', { body: { values }, query });
  it('serves no value before the crosswalk itself is approved', async () => {
    expect(await translate(['DE'])).toEqual([{ value: 'DE', results: [] }]);
  });
  it('serves approved values in the requested order, from source to target and from target to source', async () => {
    world.append(
      'crosswalk-1',
      { type: 'CrosswalkSubmitted', data: {} },
      { actor: STEWARD, dataSetIds: [ALPHA2, ALPHA3] },
    );
    world.append('crosswalk-1', { type: 'CrosswalkApproved', data: {} }, { dataSetIds: [ALPHA2, ALPHA3] });
    await world.project();
    const result = { targetValue: 'DEU', mappingId: mappingId(1, 'DE'), confidence: 100, approvedBy: ADMIN };
    expect(await translate(['FR', 'DE', 'DE'])).toEqual([
      { value: 'FR', results: [] },
      { value: 'DE', results: [expect.objectContaining(result)] },
      { value: 'DE', results: [expect.objectContaining(result)] },
    ]);
    expect(await translate(['DEU'], { reverse: 'true' })).toMatchObject([{ results: [{ targetValue: 'DE' }] }]);
    expect(await readAsSteward('/api/crosswalks/1/translate', { query: { value: 'DE' } })).toMatchObject({
      value: 'DE',
      results: [result],
    });
    const before = world.events.length - 2;
    expect(await translate(['DE'], { asOf: `seq:${before}` })).toEqual([{ value: 'DE', results: [] }]);
  });
  it('returns how often the value of a mapping was requested', async () => {
    await world.pool.query(
      `INSERT INTO telemetry.translation_requests VALUES (1, 'DE', DEFAULT, 4, '2026-01-02', '2026-01-03');
       INSERT INTO telemetry.missing_mappings (crosswalk_id, source_value, request_count, requested_at, last_requested_at)
         VALUES (1, 'DE', 3, '2026-01-01', '2026-01-01')`,
    );
    const { items } = await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', {
      query: { tab: 'approved' },
    });
    expect(items.find((row) => row.sourceValue === 'DE')?.impact).toEqual({
      requests: 7,
      firstRequestedAt: expect.stringMatching(/^2026-01-01T/),
      lastRequestedAt: expect.stringMatching(/^2026-01-03T/),
    });
    const past = await readAsSteward<Page<MappingView>>('/api/crosswalks/1/mappings', {
      query: { tab: 'approved', asOf: `seq:${world.events.length}` },
    });
    expect(past.items[0]?.impact).toBeNull();
  });
  it('lists the requested values without a served mapping, and ignored values on request', async () => {
    world.append(
      'missingMappings-1',
      {
        type: 'MissingMappingRequested',
        data: {
          requests: [
            { id: 1, sourceValue: 'DE' },
            { id: 2, sourceValue: 'PL' },
            { id: 3, sourceValue: 'UK' },
          ],
        },
      },
      { actor: VIEWER, dataSetIds: [ALPHA2, ALPHA3] },
    );
    world.append('missingMappings-1', { type: 'MissingMappingIgnored', data: { ids: [3], comment: 'not a code' } });
    await world.project();
    await world.pool.query(
      `INSERT INTO telemetry.missing_mappings (crosswalk_id, source_value, request_count) VALUES (1, 'PL', 7)`,
    );
    const listed = await readAsSteward<Page<MissingMappingView>>('/api/missing-mappings', {
      query: { include: 'suggestion' },
    });
    expect(listed.items).toMatchObject([
      {
        id: 2,
        sourceValue: 'PL',
        requestCount: 7,
        requestUserId: VIEWER,
        level: 'ADMIN',
        suggestion: { targetValue: 'POL' },
      },
    ]);
    const ignored = await readAsSteward<Page<MissingMappingView>>('/api/missing-mappings', {
      query: { ignored: 'true' },
    });
    expect(ignored.items).toMatchObject([{ id: 3, ignoreReason: 'not a code' }]);
    expect((await readAsSteward<CrosswalkView>('/api/crosswalks/1')).missingCount).toBe(1);
  });
  it('compares the source data sets of a target, and shows conflicts within one of them', async () => {
    appendMapping(1, mappingId(9, 'DE'), ['DE', 'XKX'], 'MappingsSubmitted', 'MappingsApproved');
    await world.project();
    const path = `/api/crosswalk/comparison/${ALPHA3}`;
    const { systems, items, total } = await readAsSteward<Comparison>(path);
    expect(systems).toEqual([{ dataSetId: ALPHA2, name: 'Alpha-2', crosswalks: [{ id: 1, name: 'Crosswalk 1' }] }]);
    expect(total).toBe(6);
    expect(items.map((row) => [row.targetValue, row.cells[0]?.state])).toEqual([
      ['BOL', 'absent'],
      ['CIV', 'absent'],
      ['DEU', 'conflict'],
      ['FRA', 'absent'],
      ['POL', 'absent'],
      ['XKX', 'conflict'],
    ]);
    const conflicts = await readAsSteward<Comparison>(path, { query: { conflicts: 'true' } });
    expect(conflicts.items.map((row) => row.cells[0]?.mappings[0]?.otherTargets)).toEqual([['XKX'], ['DEU']]);
  });
  it('exports all pages of the comparison, with labels and conflicts in their own columns', async () => {
    const path = `/api/crosswalk/comparison/${ALPHA3}/export`;
    const csv = await world.download(routes, path, { as: STEWARD, query: { pageSize: '1' } });
    expect(csv.headers['content-disposition']).toContain('Comparison Alpha-3.csv');
    expect(csv.text.split('\r\n')).toEqual([
      'targetValue,targetLabel,sourceSystem,crosswalk,sourceValue,sourceLabel,state,conflictsWith',
      'BOL,Bolivia (Plurinational State of),Alpha-2,,,,absent,',
      'CIV,Cote D’Ivoire,Alpha-2,,,,absent,',
      'DEU,Germany,Alpha-2,Crosswalk 1,DE,Germany,conflict,XKX',
      'FRA,France,Alpha-2,,,,absent,',
      'POL,Poland,Alpha-2,,,,absent,',
      'XKX,Kosovo,Alpha-2,Crosswalk 1,DE,Germany,conflict,DEU',
      '',
    ]);
    const conflicts = await world.download(routes, path, {
      as: STEWARD,
      query: { conflicts: 'true', format: 'json', sort: 'targetValue', order: 'DESC' },
    });
    expect(JSON.parse(conflicts.text)).toMatchObject([
      { targetValue: 'XKX', sourceLabel: 'Germany', state: 'conflict', conflictsWith: ['DEU'] },
      { targetValue: 'DEU', sourceValue: 'DE', state: 'conflict', conflictsWith: ['XKX'] },
    ]);
  });
  it('filters and sorts the comparison like any list, by the values of each source data set', async () => {
    const path = `/api/crosswalk/comparison/${ALPHA3}`;
    const findTargets = async (condition: Record<string, unknown>, more: Record<string, string> = {}) => {
      const filter = JSON.stringify({ logic: 'AND', conditions: [condition] });
      const { items, total } = await readAsSteward<Comparison>(path, { query: { filter, ...more } });
      expect(total).toBe(items.length);
      return items.map((row) => row.targetValue);
    };
    const system = `system-${ALPHA2}`;
    expect(await findTargets({ field: system, operator: 'is_null' })).toEqual(['BOL', 'CIV', 'FRA', 'POL']);
    expect(await findTargets({ field: system, operator: 'contains', value: 'DE' })).toEqual(['DEU', 'XKX']);
    expect(await findTargets({ field: 'isConflict', operator: 'equals', value: false })).toEqual([
      'BOL',
      'CIV',
      'FRA',
      'POL',
    ]);
    expect(await findTargets({ field: 'systemCount', operator: 'greater_than', value: 0 })).toEqual(['DEU', 'XKX']);
    expect(await findTargets({ field: 'targetLabel', operator: 'starts_with', value: 'po' })).toEqual(['POL']);
    const descending = { sort: 'targetValue', order: 'DESC' };
    expect(await findTargets({ field: 'targetValue', operator: 'regex', value: '^[B-D]' }, descending)).toEqual([
      'DEU',
      'CIV',
      'BOL',
    ]);
    await expect(findTargets({ field: 'system-99', operator: 'is_null' })).rejects.toMatchObject({
      code: 'INVALID',
      message: 'There is no field “system-99” to filter by',
    });
  });
});

describe('dismissed suggestions', () => {
  const stream = streams.mappings(1, 9);
  const dismiss = (id: number, sourceValue: string, targetValue: string) =>
    world.append(stream, { type: 'SuggestionsDismissed', data: { rows: [{ id, sourceValue, targetValue }] } });

  it('are suggested again when they are restored, even if they were dismissed while a request read the dismissals', async () => {
    dismiss(900, 'PL', 'POL');
    await world.project();
    // The second dismissal is projected after the request has counted the dismissals, and before it reads their rows.
    let isFirstRead = true;
    const matching = createMatching(async (statement) => {
      if (isFirstRead && statement.text.includes('dismissed_suggestions')) {
        isFirstRead = false;
        dismiss(901, 'CI', 'CIV');
        await world.project();
      }
      return (await world.pool.query(statement)).rows;
    });
    const suggested = async () => {
      const { items } = (
        await world.request(suggestionRoutes({ ...world.context, matching }), '/api/crosswalks/1/suggestions')
      ).body as Page<SuggestionView>;
      return items.filter(({ candidates }) => candidates.length > 0).map(({ sourceValue }) => sourceValue);
    };
    await suggested();
    expect(isFirstRead).toBe(false);
    expect(await suggested()).toEqual(['BO']);
    world.append(stream, { type: 'SuggestionsRestored', data: { ids: [901] } });
    await world.project();
    expect(await suggested()).toEqual(['BO', 'CI']);
  });
});
