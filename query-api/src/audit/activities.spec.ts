/** Tests the activities of the audit log on a real PostgreSQL: sentences, search, rows and exports. */
import {
  type ActivitiesPage,
  type ActivityRow,
  type ActivityRowsPage,
  type AuditActivity,
  mappingKey,
  type Page,
  rowId,
  streams,
} from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, dataSetCreated, mappingsDrafted } from '@rdm/contracts/testing/events';
import type { Route } from '@rdm/platform';
import { purgeEvents, testSigningKey } from '@rdm/platform/testing/purge-events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf, tableOf } from '../fixtures/database.ts';
import { importProjector } from '../fixtures/projector.ts';
import { type RequestOptions, startWorld, type World } from '../fixtures/world.ts';
import { activityRoutes } from './activities.ts';
import { auditRoutes } from './audit.ts';

const [ADMIN, SAM, ANN, VERA, KIM] = [1, 2, 3, 4, 5];
const [PRODUCTS, UNITS, MEDALS, WASHERS, FORGOTTEN, PAIRS, SERIES, ZONES, SHORT, LONG] = [
  10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
];
const [CODE, LABEL, PRICE] = [1, 2, 3];
const [FIRST, SECOND, THIRD, VALUE] = [64, 128, 192, 640];
const DE = rowId(1, mappingKey('DE'));

const FILE = '4ff4b2a2-9d75-4b7d-8b2a-60f2f8a3b6c1';

let world: World;
let routes: Route[];

function appendRows(): void {
  const { append } = world;
  const detailsOf = (commandId: string) => ({ actor: SAM, dataSetIds: [PRODUCTS], commandId });
  const bucket = streams.instances(PRODUCTS, 0);
  const schema = { schemaRevision: 1 };
  append(
    'importJob-7',
    {
      type: 'ImportRequested',
      data: {
        ...{
          jobId: 7,
          jobType: 'DATASET_INSTANCES_IMPORT',
          dataSetId: PRODUCTS,
          description: 'Spring',
          mode: 'upsert',
        },
        ...{ fileId: FILE, fileHash: 'h', columns: {}, delimiter: ',' },
        ...{ encoding: 'utf-8', hasHeader: true, allOrNothing: false },
      },
    },
    detailsOf('import'),
  );
  const rows = [SECOND, FIRST].map((id): [number, string, string, number] => [id, `0016${id / 64}`, `Bolt ${id}`, 4.2]);
  const imported = { jobId: 7, ...schema, keyFieldIds: [CODE], fieldIds: [CODE, LABEL, PRICE], rows };
  append(bucket, { type: 'InstancesImported', data: imported }, detailsOf('step 1'));
  const counts = { total: 3, created: 2, changed: 0, unchanged: 0, failed: 1, skipped: 0 };
  append('importJob-7', { type: 'ImportCompleted', data: { counts } }, detailsOf('step 2'));
  const change = (commandId: string, id: number, values: Record<string, string | number>) =>
    append(bucket, { type: 'InstancesChanged', data: { ...schema, rows: [{ id, values }] } }, detailsOf(commandId));
  change('price', FIRST, { [PRICE]: 4.5 });
  change('label', FIRST, { [LABEL]: 'Screw' });
  change('other', SECOND, { [PRICE]: 9 });
  append(bucket, { type: 'InstancesRemoved', data: { ids: [FIRST] } }, detailsOf('removal'));
}

/** The number of rows with the same word in their labels: one more than the limit of a search. */
const SERIES_ROWS = 1_001;

function appendLabels(): void {
  const { append } = world;
  const rowsOf = (id: number) => streams.instances(id, 0);
  const schema = { schemaRevision: 1 };
  const add = (
    dataSetId: number,
    commandId: string,
    rows: [number, string, string][],
    keyFieldIds: number[] = [CODE],
  ) => {
    append(`dataSet-${dataSetId}`, dataSetCreated({ id: dataSetId, name: `Set ${dataSetId}`, keyFieldIds }), {
      actor: KIM,
    });
    append(
      rowsOf(dataSetId),
      {
        type: 'InstancesAdded',
        data: {
          ...schema,
          rows: rows.map(([id, code, label]) => ({ id, values: { [CODE]: code, [LABEL]: label } })),
          keyFieldIds,
        },
      },
      { actor: KIM, dataSetIds: [dataSetId], commandId },
    );
  };
  const detailsOf = (commandId: string) => ({ actor: KIM, dataSetIds: [MEDALS], commandId });
  add(MEDALS, 'medals', [[FIRST, 'B3', 'Old Bronze Médal']]);
  append(
    rowsOf(MEDALS),
    { type: 'InstancesChanged', data: { ...schema, rows: [{ id: FIRST, values: { [LABEL]: 'Old copper medal' } }] } },
    detailsOf('bronze'),
  );
  add(WASHERS, 'washer', [[FIRST, 'W1', 'Zinc washer']]);
  append(
    rowsOf(WASHERS),
    { type: 'InstancesRemoved', data: { ids: [FIRST] } },
    { actor: KIM, commandId: 'washer gone' },
  );
  add(FORGOTTEN, 'forgotten', [[FIRST, 'F1', 'A forgotten thing']]);
  append(`dataSet-${FORGOTTEN}`, { type: 'DataSetDeleted', data: {} }, { actor: KIM });
  add(PAIRS, 'pairs', [[FIRST, 'QX7', 'ZRH']], [CODE, LABEL]);
  add(SHORT, 'short code', [[FIRST, 'ZX10', 'Short']]);
  add(LONG, 'long code', [[FIRST, 'ZX100', 'Long']]);
  add(ZONES, 'zones', [
    [FIRST, 'Europe/Busingen', 'Enclave'],
    [SECOND, 'Europe/Zurich', 'Largest city'],
    [THIRD, 'Europe/Bern', 'Capital'],
  ]);
  add(
    SERIES,
    'series',
    Array.from({ length: SERIES_ROWS }, (_, number) => [64 * (number + 1), `S${number}`, 'Part of a series']),
  );
  append(
    `dataSet-${MEDALS}`,
    { type: 'DataSetDetailsChanged', data: { name: 'Écrous' } },
    { actor: KIM, commandId: 'renamed' },
  );
}

/** Appends a relationship value that first relates Europe/Busingen to Europe/Zurich, and then to Europe/Bern. */
function appendRelationshipValue(): void {
  const { append } = world;
  const [id, sourceInstanceId] = [VALUE, FIRST];
  const relating = (targetInstanceId: number) => ({
    rows: [{ id, sourceInstanceId, targetInstanceId, attributes: {} }],
  });
  const detailsOf = (commandId: string) => ({ actor: KIM, dataSetIds: [ZONES], commandId });
  append('relationship-9', {
    type: 'RelationshipDefined',
    data: {
      ...{
        id: 9,
        name: 'Like',
        relationshipType: 'likeness',
        cardinality: 'MANY_TO_MANY',
        allowSelfRelationship: true,
      },
      ...{ sourceDataSetId: ZONES, targetDataSetId: ZONES, sourceFieldId: CODE, targetFieldId: CODE },
    },
  });
  const bucket = streams.relationshipValues(9, 0);
  append(bucket, { type: 'RelationshipValuesDrafted', data: relating(SECOND) }, detailsOf('value'));
  append(bucket, { type: 'RelationshipValuesEdited', data: relating(THIRD) }, detailsOf('value edited'));
  append(bucket, { type: 'RelationshipValuesSubmitted', data: { ids: [id] } }, detailsOf('value submitted'));
  const rejection = { ids: [id], comment: 'no' };
  append(bucket, { type: 'RelationshipValuesRejected', data: rejection }, detailsOf('value rejected'));
}

const indexRows = async () => (await importProjector()).indexFields(world.pool, schemaOf('instances'));

beforeAll(async () => {
  world = await startWorld();
  const { append } = world;
  for (const userId of [ADMIN, SAM, ANN, VERA]) {
    append('access-main', { type: 'UserRegistered', data: { userId, roleId: userId } }, { actor: null });
  }
  append('access-main', collectionCreated({ collectionId: 7, name: 'Finance', ownerId: SAM }), { actor: SAM });
  const granted = [{ entityType: 'user' as const, entityId: VERA, permissionLevel: 'READ' as const }];
  append('access-main', { type: 'CollectionPermissionsChanged', data: { collectionId: 7, granted, revoked: [] } });
  append('referenceType-5', {
    type: 'ReferenceTypeDefined',
    data: {
      ...{ id: 5, name: 'Article', description: '' },
      fields: [
        { fieldId: CODE, name: 'code', dataType: 'string', isPrimaryKey: true },
        { fieldId: LABEL, name: 'label', dataType: 'string', isPrimaryKey: false },
        { fieldId: PRICE, name: 'price', dataType: 'number', isPrimaryKey: false },
      ],
    },
  });
  append(`dataSet-${PRODUCTS}`, dataSetCreated({ id: PRODUCTS, name: 'Goods', keyFieldIds: [CODE] }), { actor: SAM });
  append(`dataSet-${UNITS}`, dataSetCreated({ id: UNITS, name: 'Units', keyFieldIds: [CODE] }), { actor: SAM });
  appendLabels();
  appendRelationshipValue();
  appendRows();
  append(`dataSet-${PRODUCTS}`, { type: 'DataSetDetailsChanged', data: { name: 'Products' } }, { actor: SAM });
  append('crosswalk-4', crosswalkDefined({ id: 4, sourceSystemId: PRODUCTS, targetSystemId: UNITS }), { actor: SAM });
  const bucket = streams.mappings(4, DE % 64);
  const detailsBy = (actor: number, commandId: string) => ({ actor, commandId, dataSetIds: [PRODUCTS, UNITS] });
  append(bucket, mappingsDrafted({ id: DE, sourceValue: 'DE', targetValue: 'DEU' }), detailsBy(SAM, 'draft'));
  append(bucket, { type: 'MappingsSubmitted', data: { ids: [DE] } }, detailsBy(SAM, 'draft'));
  append(bucket, { type: 'MappingsRejected', data: { ids: [DE], comment: 'ambiguous' } }, detailsBy(ANN, 'decision'));
  const missing = (commandId: string, requests: { id: number; sourceValue: string }[]) =>
    append('missingMappings-4', { type: 'MissingMappingRequested', data: { requests } }, detailsBy(SAM, commandId));
  missing('missing', [{ id: 70, sourceValue: 'ZZ' }]);
  missing('more missing', [
    { id: 72, sourceValue: 'Q2' },
    { id: 71, sourceValue: 'Q1' },
  ]);
  append('missingMappings-4', { type: 'MissingMappingReopened', data: { ids: [70] } }, detailsBy(SAM, 'reopened'));
  await world.project();
  await world.pool.query(
    `INSERT INTO identity.users (id, username, email, display_name) VALUES (1, 'admin', 'a@example.com', NULL),
      (2, 'sam', 's@example.com', 'Sam Steward'), (3, 'ann', 'n@example.com', 'Ann Approver'), (4, 'vera', 'v@example.com', 'Vera Viewer')`,
  );
  await world.pool.query('INSERT INTO command.staged_files (id, owner_id, file_name) VALUES ($1, $2, $3)', [
    ...[FILE, SAM, 'parts.csv'],
  ]);
  routes = [...activityRoutes(world.context), ...auditRoutes(world.context)];
}, 120_000);
afterAll(() => world?.stop());

const readLog = async <Body>(path: string, query: RequestOptions['query'] = {}) =>
  (await world.request<Body>(routes, `/api/audit-logs${path}`, { query })).body;
const activities = async (query: RequestOptions['query'] = {}) =>
  (await readLog<Page<AuditActivity>>('/activities', { pageSize: '100', ...query })).items;
const readLines = async (query: RequestOptions['query'] = {}) => (await activities(query)).map(({ line }) => line);
const findCommandIds = async (q: string) => (await activities({ q })).map(({ commandId }) => commandId);
const filterWhere = (...conditions: object[]) => JSON.stringify({ logic: 'OR', conditions });

const REMOVED = 'Sam Steward deleted 00161 from Products';
const LABELLED = 'Sam Steward changed 00161 in Products: label Bolt 64 → Screw';
const PRICED = 'Sam Steward changed 00161 in Products: price 4.2 → 4.5';
const IMPORTED = 'Sam Steward imported 2 rows from parts.csv into Products: 2 new, 1 rejected';

describe('activities', () => {
  it('are listed as sentences, the latest first', async () => {
    expect((await readLines()).slice(0, 12)).toEqual([
      'Sam Steward reopened the missing mapping ZZ of Countries',
      'Sam Steward listed 2 missing mappings of Countries',
      'Sam Steward listed the missing mapping ZZ of Countries',
      'Ann Approver rejected the mapping DE → DEU of Countries: "ambiguous"',
      'Sam Steward drafted and submitted the mapping DE → DEU of Countries',
      'Sam Steward created the crosswalk Countries',
      'Sam Steward renamed the data set to Products',
      REMOVED,
      'Sam Steward changed 00162 in Products: price 4.2 → 9',
      LABELLED,
      PRICED,
      IMPORTED,
    ]);
    expect(await readLines({ q: 'Vera' })).toContain('admin gave Vera Viewer READ on Finance');
  });

  it('are found by the code of a row, even if the row is deleted', async () => {
    expect(await readLines({ q: '00161' })).toEqual([REMOVED, LABELLED, PRICED, IMPORTED]);
    expect(await findCommandIds('00162')).toEqual(['other', 'import']);
    expect(await findCommandIds('161')).toEqual([]);
  });

  it('are found by the present and the past label of a row', async () => {
    expect(await readLines({ q: 'Screw' })).toEqual([REMOVED, LABELLED, PRICED, IMPORTED]);
    expect(await readLines({ q: 'bolt 64' })).toEqual([REMOVED, LABELLED, PRICED, IMPORTED]);
  });

  it('are found by names, target values and comments', async () => {
    expect(await findCommandIds('Goods')).toEqual(await findCommandIds('Products'));
    expect(await findCommandIds('Goods')).toContain('import');
    expect(await findCommandIds('ann approver')).toEqual(['decision', expect.any(String)]);
    expect(await findCommandIds('DEU')).toEqual(['decision', 'draft']);
    expect(await findCommandIds('ambiguous')).toEqual(['decision']);
  });

  it('are found by a two-letter code only as a whole word', async () => {
    expect(await findCommandIds('DE')).toEqual(['decision', 'draft']);
    expect(await findCommandIds('de')).toEqual(['decision', 'draft']);
  });

  it.each([
    ['a word inside a label', 'medal', ['bronze', 'medals']],
    ['words of a label in any order, without case and accents', 'MÉDAL old', ['bronze', 'medals']],
    ['a word of a former label', 'bronze', ['bronze', 'medals']],
    ['a word of the label of a deleted row', 'washer', ['washer gone', 'washer']],
    ['a word of a row label in a deleted data set', 'forgotten', ['forgotten']],
    ['a part of a key of several fields', 'ZRH', ['pairs']],
    ['the value of a missing mapping', 'zz', ['reopened', 'missing']],
    ['one of several missing values', 'Q1', ['more missing']],
  ])('are found by %s', async (_, q, expected) => {
    expect(await findCommandIds(q)).toEqual(expected);
  });

  it.each([
    ['code of the source', 'Europe/Busingen'],
    ['code of the target', 'europe/bern'],
    ['code of a former target', 'Europe/Zurich'],
    ['label of the source', 'enclave'],
  ])('of a relationship value are found by the %s', async (_, q) => {
    expect(await findCommandIds(q)).toEqual(['value rejected', 'value submitted', 'value edited', 'value', 'zones']);
  });

  it('are found by a word of a label before and after the row is indexed', async () => {
    const before = await findCommandIds('medal');
    await indexRows();
    expect(await findCommandIds('medal')).toEqual(before);
    const spoon = { id: FIRST, values: { [LABEL]: 'Copper spoon' } };
    const rowsOfMedals = streams.instances(MEDALS, 0);
    world.append(
      rowsOfMedals,
      { type: 'InstancesChanged', data: { schemaRevision: 1, rows: [spoon] } },
      { actor: KIM, commandId: 'spoon' },
    );
    await world.project();
    expect(await findCommandIds('spoon')).toEqual(['spoon', 'bronze', 'medals']);
    await indexRows();
    expect(await findCommandIds('spoon')).toEqual(['spoon', 'bronze', 'medals']);
    expect(await findCommandIds('qx7')).toEqual(['pairs']);
    expect(await findCommandIds('bronze')).toEqual(['spoon', 'bronze', 'medals']);
  });

  it('are found by the beginning of a code if no row has exactly this code', async () => {
    await indexRows();
    expect(await findCommandIds('0016')).toEqual(['other', 'import']);
    expect(await findCommandIds('zx1')).toEqual(['long code', 'short code']);
    expect(await findCommandIds('ZX10')).toEqual(['short code']);
  });

  it('are found by names and comments regardless of case and accents', async () => {
    expect(await findCommandIds('écrous')).toEqual(await findCommandIds('Ecrous'));
    expect(await findCommandIds('ecrous')).toContain('renamed');
    expect(await findCommandIds('AMBIGÜOUS')).toEqual(['decision']);
  });

  it('are marked as incomplete if the search ran out of time or found too many rows', async () => {
    const readPage = (query: RequestOptions['query']) => readLog<ActivitiesPage>('/activities', query);
    expect((await readPage({ q: 'medal' })).complete).toBe(true);
    expect((await readPage({})).complete).toBe(true);
    const many = await readPage({ q: 'series' });
    expect(many.complete).toBe(false);
    expect(many.items.map(({ commandId }) => commandId)).toEqual(['series']);
    const client = await world.pool.connect();
    try {
      await client.query(`BEGIN; LOCK TABLE ${tableOf('search_entries')}`);
      expect(await readPage({ q: 'Vera' })).toMatchObject({ complete: false, total: 2 });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('are found by several words only if each word matches', async () => {
    expect(await findCommandIds('Sam 00161')).toEqual(['removal', 'label', 'price', 'import']);
    expect(await findCommandIds('Ann 00161')).toEqual([]);
    expect(await findCommandIds('%')).toEqual([]);
  });

  it('can be filtered by user and read by page, and are complete in each sort', async () => {
    const filter = filterWhere({ field: 'username', operator: 'equals', value: 'Ann Approver' });
    expect((await activities({ filter })).map(({ commandId }) => commandId)).toEqual(['decision']);
    const all = await activities();
    for (const sort of ['timestamp', 'username', 'verb', 'subjectName', 'rows', 'comment']) {
      expect(await activities({ sort })).toHaveLength(all.length);
    }
    const page = await readLog<Page<AuditActivity>>('/activities', { page: '2', pageSize: '3' });
    expect(page.items.map(({ id }) => id)).toEqual(all.slice(3, 6).map(({ id }) => id));
    expect(page.total).toBe(all.length);
  });

  it('count the same events as the audit log', async () => {
    for (const { commandId, jobId, events } of await activities()) {
      const jobConditions = jobId === null ? [] : [{ field: 'jobId', operator: 'equals', value: jobId }];
      const filter = filterWhere({ field: 'causationId', operator: 'equals', value: commandId }, ...jobConditions);
      expect((await readLog<Page<object>>('', { filter })).total, commandId).toBe(events);
    }
  });
});

describe('the rows of an activity', () => {
  const rowsOf = async (commandId: string): Promise<ActivityRow[]> => {
    const activity = (await activities()).find((each) => each.commandId === commandId);
    return (await readLog<ActivityRowsPage>(`/activities/${activity?.id}/rows`)).items;
  };
  it('have their values before and after the activity, and are sorted by key', async () => {
    expect(await rowsOf('label')).toEqual([
      {
        ...{ entityType: 'instances', entityId: PRODUCTS, entityName: 'Products', id: FIRST, key: '00161' },
        ...{ label: 'Screw', status: null, changes: [{ field: 'label', before: 'Bolt 64', after: 'Screw' }] },
      },
    ]);
    // The imported file had the rows in the opposite order.
    expect((await rowsOf('import')).map(({ key, changes }) => [key, changes.length])).toEqual([
      ['00161', 3],
      ['00162', 3],
    ]);
    expect(await rowsOf('removal')).toMatchObject([
      { key: '00161', status: { before: null, after: 'DELETED' }, changes: [{ after: null }, {}, {}] },
    ]);
  });
  it('have their status before and after the activity, and are listed once each', async () => {
    expect(await rowsOf('draft')).toMatchObject([{ key: 'DE → DEU', status: { before: null, after: 'PENDING' } }]);
    expect(await rowsOf('decision')).toMatchObject([
      { key: 'DE → DEU', status: { before: 'PENDING', after: 'REJECTED' }, changes: [] },
    ]);
  });
  it('are sorted by value for missing mappings', async () => {
    expect((await rowsOf('more missing')).map(({ key }) => key)).toEqual(['Q1', 'Q2']);
  });

  it('return 404 for an unknown activity', async () => {
    await expect(readLog('/activities/9999/rows')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a purge', () => {
  it('has one activity each for its request, its confirmation and its run', async () => {
    const key = testSigningKey();
    const streams = [{ stream: 'crosswalk-99', revision: 0 }];
    const events = [{ seq: 1, digest: 'd', type: 'CrosswalkDefined', actorId: SAM, at: '2026-01-01T00:00:00.000Z' }];
    const detailsByAdmin = { actor: ADMIN, commandId: 'end of the purge' };
    for (const { stream, type, data, actorId } of purgeEvents({ purgeId: 9, streams, events, key })) {
      world.append(stream as never, { type, data } as never, { actor: actorId });
    }
    await world.project();
    const completed = {
      kind: 'dataSets',
      counts: { items: 3 },
      reason: 'R7',
      confirmedBy: SAM,
      bytes: 1,
      leftovers: [],
    };
    world.append('purge-9', { type: 'PurgeCompleted', data: { purgeId: 9, ...completed } } as never, detailsByAdmin);
    world.append('access-main', { type: 'PurgeEnded', data: { purgeId: 9 } }, detailsByAdmin);
    await world.project();
    const [run, confirmed, requested, ...others] = await activities();
    expect(run).toMatchObject({
      ...{
        line: 'admin purged 3 deleted data sets, confirmed by Sam Steward: "R7"',
        subjectType: 'purge',
        subjectId: 9,
      },
      ...{ userId: ADMIN, events: 6 },
    });
    expect([confirmed?.verb, requested?.verb]).toEqual(['confirmed', 'requested']);
    expect(others.filter(({ subjectType }) => subjectType === 'purge')).toEqual([]);
  });
});

describe('the activity of a schema change', () => {
  it('contains the former and the new name of each renamed field', async () => {
    const { append } = world;
    append('referenceType-6', {
      type: 'ReferenceTypeDefined',
      data: {
        ...{ id: 6, name: 'Parts', description: '' },
        fields: ['code', 'size', 'length'].map((name, index) => ({
          ...{ fieldId: index + 1, name, dataType: 'string' as const, isPrimaryKey: index === 0 },
        })),
      },
    });
    const rename = (commandId: string, fieldId: number, name: string) =>
      append('referenceType-6', { type: 'FieldRenamed', data: { fieldId, name } }, { actor: SAM, commandId });
    rename('swap', 3, 'old length');
    rename('swap', 2, 'length');
    rename('again', 2, 'width');
    await world.project();
    const lines = (await activities()).filter(({ commandId }) => ['swap', 'again'].includes(commandId));
    expect(lines.map(({ line }) => line)).toEqual([
      'Sam Steward renamed the field length to width in the type Parts',
      'Sam Steward renamed the field length to old length in the type Parts and the field size to length in the type Parts',
    ]);
  });
});

describe('the export of activities', () => {
  it('has the sentences of the matching activities, oldest first', async () => {
    const { text } = await world.download(routes, '/api/audit-logs/activities/export', { query: { q: '00161' } });
    const [head, ...rows] = text.trim().split('\r\n');
    expect(head).toContain('line');
    expect(rows).toHaveLength(4);
    expect(rows[0]).toContain(`"${IMPORTED}"`);
    expect(rows[3]).toContain(REMOVED);
    const ndjson = await world.download(routes, '/api/audit-logs/activities/export', {
      query: { q: 'ambiguous', format: 'ndjson' },
    });
    expect(JSON.parse(ndjson.text)).toMatchObject({ comment: 'ambiguous', verb: 'rejected' });
  });
});
