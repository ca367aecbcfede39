/**
 * Tests that no route shows or changes a foreign object, which the user has no right to read. Most routes answer as if
 * the object did not exist. Most foreign objects are in a collection without a grant for the user.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { declaredRoutes } from '../api-document/declared-routes.ts';
import { newKey } from './api-key-client.ts';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, rowsForm, uploadRows } from './fixtures.ts';
import { type Answer, type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { openTab } from './live-client.ts';
import { createSignedInUser } from './signed-in-user.ts';

/** A word in the values and in most names of the foreign objects. An answer that contains this word is a leak. */
const SECRET = 'Xanadu';
const SCHEMAS = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];

interface ForeignObjects {
  collection: number;
  type: number;
  dataSet: number;
  target: number;
  instance: number;
  relationship: number;
  related: number;
  crosswalk: number;
  mapping: number;
  /** The id of the command that drafted the mapping. */
  batch: string;
  missing: number;
  job: number;
  file: string;
  draft: string;
  mappingsFile: string;
  valuesFile: string;
  selection: string;
  user: number;
  role: number;
  group: number;
  key: number;
  savedFilter: number;
  configuration: number;
  /** A legal hold on the foreign data set. */
  hold: number;
  /** An activity that changed rows of the foreign data set. */
  activity: number;
}
let foreign: ForeignObjects;
let steward: HttpClient;
let admin: HttpClient;
/** Two users and an API key without access to the foreign collection, but with access to the collection in `own`. */
let outsiders: Record<'steward' | 'viewer' | 'key', HttpClient>;
let own: { collection: number; dataSet: number; target: number; crosswalk: number; relationship: number; type: number };
let requestCount = 0;
let leaks: string[] = [];

const csvOf = (dataSet: number, name: string): FormData => {
  const parts = new FormData();
  parts.set('dataSetId', String(dataSet));
  parts.set('file', new File([`code,name\n${name},${name}\n`], 'codes.csv', { type: 'text/csv' }));
  return parts;
};

const draftOf = (content: string): FormData => {
  const parts = new FormData();
  parts.set('file', new File([content], 'codes.csv', { type: 'text/csv' }));
  return parts;
};

async function createForeignObjects(): Promise<ForeignObjects> {
  const collection = done(await steward.post('/api/collections', { name: uniqueName(SECRET), tags: [SECRET] })).id;
  const type = await newType(steward);
  const createDataSet = (name: string) =>
    steward.post('/api/reference-data', { name: uniqueName(name), typeId: type, collectionId: collection });
  const dataSet = done(await createDataSet(SECRET)).id;
  const target = done(await createDataSet(SECRET)).id;
  for (const id of [dataSet, target]) {
    const rows = [{ data: { code: `${SECRET} 1`, name: SECRET } }, { data: { code: `${SECRET} 2`, name: SECRET } }];
    done(await steward.post(`/api/reference-data/${id}/instances`, { rows }));
  }
  const [row] = done(await steward.get(`/api/reference-data/${dataSet}/instances`)).items;
  const relationship = done(
    await steward.post('/api/relationships', {
      name: uniqueName(SECRET),
      sourceDataSetId: dataSet,
      targetDataSetId: target,
      sourceField: 'code',
      targetField: 'code',
    }),
  ).id;
  const { id: related } = done(
    await steward.post(`/api/relationships/${relationship}/values`, {
      sourceKey: `${SECRET} 1`,
      targetKey: `${SECRET} 2`,
    }),
  );
  const crosswalk = await newCrosswalk(steward, dataSet, target);
  const drafting = done(
    await steward.post(`/api/crosswalks/${crosswalk}/mappings`, {
      rows: [{ sourceValue: `${SECRET} 1`, targetValue: `${SECRET} 2` }],
    }),
  );
  const mapping = drafting.id;
  done(await steward.post('/api/missing-mappings', { crosswalkId: crosswalk, sourceValue: `${SECRET} 3` }));
  const missing = (
    await steward.eventually('/api/missing-mappings?pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.sourceValue === `${SECRET} 3`),
    )
  ).body.items.find((item: Json) => item.sourceValue === `${SECRET} 3`).id;
  const imported = done(await steward.post('/api/imports', csvOf(dataSet, `${SECRET} 4`)));
  const { jobId } = done(
    await steward.post(`/api/imports/${imported.id}/start`, { description: SECRET, mode: 'insert' }),
  );
  await steward.eventually(`/api/jobs/${jobId}`, ({ body }) => body.status === 'DONE');
  const staged = done(await steward.post('/api/imports', csvOf(dataSet, `${SECRET} 5`)));
  const draft = done(await steward.post('/api/imports', draftOf(`code,name\n${SECRET} 6,${SECRET}\n`))).id;
  const mappingsFile = await uploadRows(steward, { crosswalkId: crosswalk }, `${SECRET} 6,x\n`);
  const valuesFile = await uploadRows(steward, { relationshipId: relationship }, `${SECRET} 1,${SECRET} 2\n`);
  const selection = done(await steward.post('/api/selections', { kind: 'mappings', parentId: crosswalk }));
  const entity = `data-set:${dataSet}`;
  const savedFilter = done(
    await steward.post('/api/saved-filters', { name: uniqueName(SECRET), entity, view: { q: SECRET }, isShared: true }),
  ).id;
  const configuration = done(
    await admin.post('/api/filter-configurations', {
      entityType: entity,
      fieldName: 'code',
      dataType: 'string',
      displayName: SECRET,
    }),
  ).id;
  const role = done(await admin.post('/api/roles', { name: uniqueName(SECRET) })).id;
  const group = done(await admin.post('/api/groups', { name: uniqueName(SECRET) })).id;
  const { id: user } = await createSignedInUser(admin, 4, { displayName: SECRET });
  const { id: key } = await newKey(admin, [[collection, 'write']]);
  const { id: hold } = done(
    await admin.post('/api/legal-holds', { scope: { kind: 'dataSet', id: dataSet }, matter: SECRET, reason: SECRET }),
  );
  const [{ id: activity }] = done(await admin.get(`/api/audit-logs/activities?q=${SECRET}`)).items;
  return {
    collection,
    type,
    dataSet,
    target,
    instance: row.id,
    relationship,
    related,
    crosswalk,
    mapping,
    batch: drafting.commandId,
    missing,
    job: jobId,
    file: staged.id,
    draft,
    mappingsFile,
    valuesFile,
    selection: selection.selectionId,
    user,
    role,
    group,
    key,
    savedFilter,
    configuration,
    hold,
    activity,
  };
}

/** Returns the foreign collection and its content as the owner reads them. */
async function readForeignObjects(): Promise<unknown> {
  const { collection, dataSet, target, relationship, crosswalk, job } = foreign;
  const paths = [
    `/api/collections/${collection}`,
    `/api/collections/${collection}/items`,
    `/api/collections/${collection}/permissions`,
    `/api/reference-data/${dataSet}`,
    `/api/reference-data/${dataSet}/instances`,
    `/api/reference-data/${target}/instances`,
    `/api/relationships/${relationship}`,
    `/api/relationships/${relationship}/values`,
    `/api/crosswalks/${crosswalk}`,
    `/api/crosswalks/${crosswalk}/mappings`,
    `/api/jobs/${job}`,
    `/api/missing-mappings?crosswalkId=${crosswalk}`,
    `/api/saved-filters?entity=data-set:${dataSet}`,
    `/api/filter-configurations?entity=data-set:${dataSet}`,
  ];
  const answers = await Promise.all(paths.map(async (path) => done(await steward.get(path))));
  return answers.map(({ position: _, ...content }) => content);
}

beforeAll(async () => {
  [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
  const [another, viewer] = await Promise.all([createSignedInUser(admin, 2), createSignedInUser(admin, 4)]);
  const collection = await newCollection(another.person, [
    { entityType: 'user', entityId: viewer.id, permissionLevel: 'ADMIN' },
  ]);
  const type = await newType(another.person);
  const rows = [{ code: 'a' }, { code: 'b' }];
  const dataSet = await newDataSet(another.person, type, collection, rows);
  const target = await newDataSet(another.person, type, collection, rows);
  const crosswalk = await newCrosswalk(another.person, dataSet, target);
  const { id: relationship } = done(
    await another.person.post('/api/relationships', {
      name: uniqueName('Own'),
      sourceDataSetId: dataSet,
      targetDataSetId: target,
      sourceField: 'code',
      targetField: 'code',
    }),
  );
  own = { collection, dataSet, target, crosswalk, relationship, type };
  const { client: system } = await newKey(admin, [
    [collection, 'write'],
    [collection, 'translate'],
  ]);
  outsiders = { steward: another.person, viewer: viewer.person, key: system };
  foreign = await createForeignObjects();
}, 120_000);

afterAll(() => {
  console.log(`${requestCount} requests with foreign ids, ${leaks.length} leaks`);
});

/** The ids of foreign objects for the path parameters, by path prefix. The first matching prefix applies. */
const IDS: readonly (readonly [prefix: string, (things: ForeignObjects) => Record<string, number | string>])[] = [
  ['/api/users', ({ user }) => ({ id: user })],
  ['/api/roles', ({ role }) => ({ id: role })],
  ['/api/groups', ({ group }) => ({ id: group })],
  ['/api/api-keys', ({ key }) => ({ id: key })],
  ['/api/backups', ({ job }) => ({ id: job })],
  ['/internal/backups', ({ job }) => ({ id: job })],
  ['/api/purges', ({ job }) => ({ id: job })],
  ['/api/legal-holds', ({ hold }) => ({ id: hold })],
  ['/api/audit-logs/activities', ({ activity }) => ({ id: activity })],
  ['/api/saved-filters', ({ savedFilter }) => ({ id: savedFilter })],
  ['/api/filter-configurations', ({ configuration }) => ({ id: configuration })],
  ['/api/reference-types', ({ type }) => ({ id: type })],
  ['/api/reference-data', ({ dataSet, instance }) => ({ id: dataSet, instanceId: instance })],
  ['/api/relationships', ({ relationship, related }) => ({ id: relationship, valueId: related })],
  ['/api/crosswalks', ({ crosswalk, mapping }) => ({ id: crosswalk, valueId: mapping })],
  ['/api/crosswalk/comparison', ({ target }) => ({ targetDatasetId: target })],
  ['/api/missing-mappings', ({ missing }) => ({ id: missing })],
  ['/api/batches', ({ batch }) => ({ commandId: batch })],
  ['/api/collections', ({ collection }) => ({ id: collection })],
  ['/api/jobs', ({ job }) => ({ id: job, jobId: job })],
  ['/api/imports/:id/errors', ({ job }) => ({ id: job })],
  ['/api/imports/:id/start', ({ file }) => ({ id: file })],
  ['/api/imports', ({ draft }) => ({ id: draft, group: 'all' })],
];

function addressOf(path: string): string {
  const ids = IDS.find(([prefix]) => path.startsWith(`${prefix}/`) || path === prefix)?.[1](foreign);
  return path.replace(/:(\w+)/g, (whole, name: string) => String(ids?.[name] ?? whole));
}

const mappingRows = () => ({ rows: [{ id: foreign.mapping, revision: 1 }] });
const decisionBody = () => ({ ...mappingRows(), comment: 'no' });
const relatedRows = () => ({ rows: [{ id: foreign.related, revision: 1 }], comment: 'no' });
const reviewBody = () => ({ comment: 'no', revision: 1 });
const instances = () => ({ rows: [{ id: foreign.instance, revision: 1 }] });

type Case = 'GET' | (() => unknown);

const ROUTES_WITH_ID = declaredRoutes().flatMap(({ method, path }) =>
  path.includes(':') ? [`${method.toUpperCase()} ${path}`] : [],
);

/**
 * For each route with an id in its path: `GET`, or the body of a request that is valid for a user with access.
 * `administrators` marks routes for administrators, which answer 403. `types` marks routes of types, which belong to no
 * collection: reads answer 200, writes 403. Routes without a mark answer 404, or also 403 to an API key.
 */
const CASES: Record<string, Case | { administrators: Case } | { types: Case }> = {
  ...Object.fromEntries(
    ROUTES_WITH_ID.filter((route) => route.startsWith('GET ')).map((route) => [route, 'GET'] as const),
  ),
  'GET /api/users/:id': { administrators: 'GET' },
  'GET /api/users/:id/erasure-report': { administrators: 'GET' },
  'PATCH /api/users/:id': { administrators: () => ({ displayName: 'x' }) },
  'POST /api/users/:id/deactivate': { administrators: () => ({}) },
  'POST /api/users/:id/reactivate': { administrators: () => ({}) },
  'POST /api/users/:id/unlock': { administrators: () => ({}) },
  'POST /api/users/:id/require-password-change': { administrators: () => ({}) },
  'POST /api/users/:id/end-sessions': { administrators: () => ({}) },
  'POST /api/users/:id/release-email': { administrators: () => ({}) },
  'POST /api/users/:id/erase': { administrators: () => ({}) },
  'PATCH /api/roles/:id': { administrators: () => ({ description: 'x' }) },
  'DELETE /api/roles/:id': { administrators: () => undefined },
  'PATCH /api/groups/:id': { administrators: () => ({ description: 'x' }) },
  'DELETE /api/groups/:id': { administrators: () => undefined },
  'GET /api/groups/:id/members': { administrators: 'GET' },
  'PUT /api/groups/:id/members': { administrators: () => ({ userIds: [] }) },
  'POST /api/api-keys/:id/rotate': { administrators: () => ({}) },
  'POST /api/api-keys/:id/revoke': { administrators: () => ({}) },
  'GET /api/api-keys/:id/usage': { administrators: 'GET' },
  'GET /api/audit-logs/activities/:id/rows': { administrators: 'GET' },
  'GET /api/backups/:id': { administrators: 'GET' },
  'PATCH /api/backups/:id': { administrators: () => ({ pinned: true }) },
  'DELETE /api/backups/:id': { administrators: () => undefined },
  'POST /api/backups/:id/verify': { administrators: () => ({}) },
  'GET /api/backups/:id/restore-preview': { administrators: 'GET' },
  'POST /api/backups/:id/restore': { administrators: () => ({ name: 'x', password: 'x' }) },
  'POST /api/backups/:id/download': { administrators: () => ({ password: 'x' }) },
  'POST /internal/backups/:id/verify': () => ({ level: 'checksums' }),
  'GET /api/purges/:id': { administrators: 'GET' },
  'POST /api/purges/:id/request': { administrators: () => ({ phrase: 'x', reason: 'x' }) },
  'POST /api/purges/:id/confirm': { administrators: () => ({}) },
  'POST /api/purges/:id/decline': { administrators: () => ({ reason: 'x' }) },
  'POST /api/purges/:id/cancel': { administrators: () => ({}) },
  'POST /api/purges/:id/resume': { administrators: () => ({}) },
  'POST /api/purges/:id/reclaim': { administrators: () => ({}) },
  'POST /api/legal-holds/:id/release': () => ({ reason: 'x' }),

  'GET /api/reference-types/:id': { types: 'GET' },
  'GET /api/reference-types/:id/schemas': { types: 'GET' },
  'GET /api/reference-types/:id/dependencies': { types: 'GET' },
  'GET /api/reference-types/:id/events': { types: 'GET' },
  'POST /api/reference-types/:id/schema-preview': { types: () => ({ schemas: SCHEMAS }) },
  'PATCH /api/reference-types/:id': { types: () => ({ description: 'x' }) },
  'PUT /api/reference-types/:id/schemas': { types: () => ({ schemas: SCHEMAS }) },
  'DELETE /api/reference-types/:id': { types: () => undefined },

  'POST /api/reference-data/:id/schema-preview': () => ({ schemas: SCHEMAS }),
  'PATCH /api/reference-data/:id': () => ({ description: 'x' }),
  'DELETE /api/reference-data/:id': () => undefined,
  'POST /api/reference-data/:id/instances': () => ({ data: { code: 'x' } }),
  'PATCH /api/reference-data/:id/instances': () => [{ id: foreign.instance, revision: 1, data: { name: 'x' } }],
  'DELETE /api/reference-data/:id/instances': instances,
  'POST /api/reference-data/:id/instances/restore': instances,
  'POST /api/reference-data/:id/instances/deletion-impact': instances,
  'POST /api/reference-data/:id/instances/paste-preview': () => ({ fields: ['code'], rows: [{ cells: ['x'] }] }),

  'DELETE /api/relationships/:id': () => undefined,
  'PATCH /api/relationships/:id': () => ({ name: uniqueName('x') }),
  'POST /api/relationships/:id/recall': reviewBody,
  'POST /api/relationships/:id/approve': reviewBody,
  'POST /api/relationships/:id/reject': reviewBody,
  'POST /api/relationships/:id/restore': reviewBody,
  'POST /api/relationships/:id/copy': () => ({ name: uniqueName('x') }),
  'POST /api/relationships/:id/attributes': () => ({ name: uniqueName('x'), dataType: 'string' }),
  'PATCH /api/relationships/:id/attributes': () => ({ id: 1, name: uniqueName('x') }),
  'DELETE /api/relationships/:id/attributes': () => ({ id: 1 }),
  'POST /api/relationships/:id/values': () => ({ rows: [{ sourceKey: 'x', targetKey: 'y' }] }),
  'POST /api/relationships/:id/values/import-preview': () => ({ fileId: foreign.valuesFile }),
  'POST /api/relationships/:id/values/import': () => ({ fileId: foreign.valuesFile }),
  'PATCH /api/relationships/:id/values': () => ({ rows: [{ id: foreign.related, revision: 1, attributes: {} }] }),
  'DELETE /api/relationships/:id/values': relatedRows,
  'POST /api/relationships/:id/values/submit': relatedRows,
  'POST /api/relationships/:id/values/recall': relatedRows,
  'POST /api/relationships/:id/values/approve': relatedRows,
  'POST /api/relationships/:id/values/reject': relatedRows,
  'POST /api/relationships/:id/values/revoke': relatedRows,
  'POST /api/relationships/:id/values/discard': relatedRows,
  'POST /api/relationships/:id/values/restore': relatedRows,

  'POST /api/crosswalks/:id/duplicate': () => ({ name: uniqueName('x') }),
  'POST /api/crosswalks/:id/reverse': () => ({ name: uniqueName('x') }),
  'POST /api/crosswalks/:id/translate': () => ({ values: [`${SECRET} 1`] }),
  'PATCH /api/crosswalks/:id': () => ({ name: uniqueName('x') }),
  'DELETE /api/crosswalks/:id': () => undefined,
  'POST /api/crosswalks/:id/submit': reviewBody,
  'POST /api/crosswalks/:id/recall': reviewBody,
  'POST /api/crosswalks/:id/approve': reviewBody,
  'POST /api/crosswalks/:id/reject': reviewBody,
  'POST /api/crosswalks/:id/revoke': reviewBody,
  'POST /api/crosswalks/:id/discard': reviewBody,
  'POST /api/crosswalks/:id/restore': reviewBody,
  'POST /api/crosswalks/:id/mappings': () => ({ rows: [{ sourceValue: 'x', targetValue: 'y' }] }),
  'POST /api/crosswalks/:id/mappings/import-preview': () => ({ fileId: foreign.mappingsFile }),
  'POST /api/crosswalks/:id/mappings/import': () => ({ fileId: foreign.mappingsFile }),
  'PATCH /api/crosswalks/:id/mappings': () => ({ rows: [{ id: foreign.mapping, revision: 1, targetValue: 'y' }] }),
  'DELETE /api/crosswalks/:id/mappings': mappingRows,
  'POST /api/crosswalks/:id/suggestions/dismiss': () => ({ rows: [{ sourceValue: 'x', targetValue: 'y' }] }),
  'POST /api/crosswalks/:id/suggestions/restore': () => ({ ids: [foreign.mapping] }),
  'POST /api/crosswalks/:id/mappings/submit': mappingRows,
  'POST /api/crosswalks/:id/mappings/recall': mappingRows,
  'POST /api/crosswalks/:id/mappings/approve': decisionBody,
  'POST /api/crosswalks/:id/mappings/reject': decisionBody,
  'POST /api/crosswalks/:id/mappings/revoke': decisionBody,
  'POST /api/crosswalks/:id/mappings/discard': mappingRows,
  'POST /api/crosswalks/:id/mappings/restore': mappingRows,
  'POST /api/missing-mappings/:id/ignore': () => ({ comment: 'no' }),
  'POST /api/batches/:commandId/undo': () => ({}),
  'POST /api/missing-mappings/:id/reopen': () => ({}),
  'POST /api/missing-mappings/:id/map': () => ({ targetValue: 'x' }),

  'PATCH /api/saved-filters/:id': () => ({ name: uniqueName('x') }),
  'DELETE /api/saved-filters/:id': () => undefined,
  'PATCH /api/filter-configurations/:id': { administrators: () => ({ description: 'x' }) },
  'DELETE /api/filter-configurations/:id': { administrators: () => undefined },

  'PATCH /api/collections/:id': () => ({ description: 'x' }),
  'DELETE /api/collections/:id': () => undefined,
  'POST /api/collections/:id/items': () => ({ dataSetIds: [own.dataSet] }),
  'DELETE /api/collections/:id/items': () => ({ dataSetIds: [foreign.dataSet] }),
  'PUT /api/collections/:id/permissions': () => ({ permissions: [] }),

  'POST /api/jobs/:id/cancel': () => ({}),
  'POST /api/jobs/:id/retry': () => ({}),
  'POST /api/jobs/:id/undo': () => ({}),
  'POST /api/imports/:id/start': () => ({ description: 'x', mode: 'insert' }),
  'PATCH /api/imports/:id': () => ({ description: 'x' }),
  'DELETE /api/imports/:id': () => undefined,
  'POST /api/imports/:id/validate': () => ({}),
};

const QUERIES: Record<string, string> = {
  'GET /api/crosswalks/:id/translate': '?value=x',
  'GET /api/collections/:id/effective-access': '?userId=1',
};

const bodyText = (answer: Answer): string => JSON.stringify(answer.body);

/** Returns all subjects in the change feed of a user. */
async function readFeedSubjects(person: HttpClient): Promise<Set<string>> {
  const subjects = new Set<string>();
  let after = '';
  for (let more = true; more; ) {
    const { body } = await request(person, 'GET', `/api/changes?limit=1000${after}`, undefined);
    for (const { subject } of body.items) subjects.add(subject);
    after = `&after=${encodeURIComponent(body.next)}`;
    more = body.more;
  }
  return subjects;
}

async function request(person: HttpClient, method: string, address: string, body: unknown): Promise<Answer> {
  requestCount += 1;
  const answer = await (method === 'GET'
    ? person.get(address)
    : method === 'DELETE'
      ? person.delete(address, body)
      : method === 'PUT'
        ? person.put(address, body)
        : method === 'PATCH'
          ? person.patch(address, body)
          : person.post(address, body));
  if (bodyText(answer).includes(SECRET)) leaks = [...leaks, `${method} ${address}: ${bodyText(answer).slice(0, 200)}`];
  return answer;
}

describe('a foreign id', () => {
  it('is tested in every route with an id in its path', () => {
    expect(Object.keys(CASES).sort()).toEqual(ROUTES_WITH_ID.toSorted());
    for (const route of ROUTES_WITH_ID) {
      const [, path = ''] = route.split(' ');
      expect(addressOf(path), 'the path contains an id for each parameter').not.toContain('/:');
    }
  });

  it('in a path gets 404 or 403, unless the route reads a type', async () => {
    const before = await readForeignObjects();
    const statusesByRoute: Record<string, Record<string, number>> = {};
    const expected: typeof statusesByRoute = {};
    for (const [route, definition] of Object.entries(CASES)) {
      const [method = '', path = ''] = route.split(' ');
      const kind = typeof definition === 'object' ? definition : { unmarked: definition };
      const body = Object.values(kind)[0] as Case;
      for (const [caller, person] of Object.entries(outsiders)) {
        // Skip writes and previews of types as the steward, whose role may change all types.
        if ('types' in kind && body !== 'GET' && caller === 'steward') continue;
        const address = addressOf(path) + (QUERIES[route] ?? '');
        const { status } = await request(person, method, address, body === 'GET' ? undefined : body());
        statusesByRoute[route] = { ...statusesByRoute[route], [caller]: status };
        // Routes for the user who uploaded a file, and routes that accept no API keys, answer 403 to a key, not 404.
        const readsTypes = 'types' in kind && (body === 'GET' || route.endsWith('/schema-preview'));
        const expectedStatuses = readsTypes ? [200] : 'unmarked' in kind ? [404, 403] : [403];
        const isExpected =
          expectedStatuses.includes(status) && !('unmarked' in kind && status === 403 && caller !== 'key');
        expected[route] = { ...expected[route], [caller]: isExpected ? status : (expectedStatuses[0] ?? 0) };
      }
    }
    expect(statusesByRoute).toEqual(expected);
    expect(leaks).toEqual([]);
    expect(await readForeignObjects()).toEqual(before);
  }, 180_000);

  it('is refused in a body or under an own object, and is not in lists or the change feed', async () => {
    const before = await readForeignObjects();
    const person = outsiders.steward;
    const system = outsiders.key;
    const mappedFields = { sourceAttribute: 'code', targetAttribute: 'code' };
    const relationshipFields = { name: uniqueName('R'), sourceField: 'code', targetField: 'code' };
    const { target, dataSet, crosswalk, collection } = foreign;
    const refused: [method: string, address: string, body?: unknown][] = [
      ['POST', '/api/reference-data', { name: uniqueName('x'), typeId: own.type, collectionId: collection }],
      [
        'POST',
        '/api/crosswalks',
        { name: uniqueName('x'), sourceSystemId: own.dataSet, targetSystemId: target, ...mappedFields },
      ],
      [
        'POST',
        '/api/crosswalks',
        { name: uniqueName('x'), sourceSystemId: dataSet, targetSystemId: own.target, ...mappedFields },
      ],
      ['POST', '/api/relationships', { ...relationshipFields, sourceDataSetId: own.dataSet, targetDataSetId: target }],
      ['POST', '/api/relationships', { ...relationshipFields, sourceDataSetId: dataSet, targetDataSetId: own.target }],
      ['POST', `/api/collections/${own.collection}/items`, { dataSetIds: [dataSet] }],
      ['DELETE', `/api/collections/${own.collection}/items`, { dataSetIds: [dataSet] }],
      ['POST', '/api/selections', { kind: 'instances', parentId: dataSet }],
      ['POST', '/api/legal-holds', { scope: { kind: 'dataSet', id: dataSet }, matter: 'x', reason: 'x' }],
      ['POST', '/api/selections', { kind: 'mappings', parentId: crosswalk }],
      ['POST', '/api/missing-mappings', { crosswalkId: crosswalk, sourceValue: 'x' }],
      ['POST', '/api/imports', csvOf(dataSet, 'x')],
      ['POST', '/api/imports', rowsForm({ crosswalkId: crosswalk }, 'x,y')],
      ['GET', `/api/reference-data/${dataSet}?asOf=2020-01-01T00:00:00Z`],
      ['GET', `/api/reference-data/${own.dataSet}/instances/${foreign.instance}`],
      ['GET', `/api/reference-data/${own.dataSet}/instances/${foreign.instance}/history`],
      ['GET', `/api/reference-data/${own.dataSet}/instances/${foreign.instance}/references`],
      ['GET', `/api/crosswalks/${own.crosswalk}/mappings/${foreign.mapping}/history`],
      ['GET', `/api/relationships/${own.relationship}/values/${foreign.related}/history`],
      ['GET', `/api/reference-data/${foreign.dataSet}/instances/${foreign.instance}/relationships`],
    ];
    for (const [method, address, body] of refused) {
      expect((await request(person, method, address, body)).status, `${method} ${address}`).toBe(404);
    }

    // A selection of another user gets the same answer as an unknown selection.
    const decide = (selectionId: string) => ({ decision: 'approve', selectionId, comment: 'x' });
    const selecting: [address: string, body: (selectionId: string) => unknown][] = [
      [`/api/crosswalks/${own.crosswalk}/mappings/submit`, (selectionId) => ({ selectionId })],
      ['/api/approvals/decide', decide],
      ['/api/approvals/impact', (selectionId) => ({ selectionId })],
      ['/api/missing-mappings/ignore', (selectionId) => ({ selectionId, comment: 'x' })],
      ['/api/missing-mappings/reopen', (selectionId) => ({ selectionId })],
      ['/api/crosswalks/submit', (selectionId) => ({ selectionId })],
      ['/api/relationships/recall', (selectionId) => ({ selectionId })],
    ];
    for (const [address, body] of selecting) {
      const unknownAnswer = await request(person, 'POST', address, body(randomUUID()));
      const foreignAnswer = await request(person, 'POST', address, body(foreign.selection));
      expect([foreignAnswer.status, foreignAnswer.body.error], address).toEqual([
        unknownAnswer.status,
        unknownAnswer.body.error,
      ]);
      expect(foreignAnswer.status, address).toBeGreaterThanOrEqual(400);
    }

    const rowRequests: [method: string, address: string, body: unknown][] = [
      ['POST', `/api/crosswalks/${own.crosswalk}/mappings/submit`, mappingRows()],
      ['DELETE', `/api/crosswalks/${own.crosswalk}/mappings`, mappingRows()],
      ['POST', `/api/crosswalks/${own.crosswalk}/suggestions/restore`, { ids: [foreign.mapping] }],
      ['POST', `/api/relationships/${own.relationship}/values/submit`, relatedRows()],
      ['DELETE', `/api/relationships/${own.relationship}/values`, relatedRows()],
      ['POST', `/api/relationships/${own.relationship}/values`, { sourceInstanceId: foreign.instance, targetKey: 'a' }],
      [
        'PATCH',
        `/api/reference-data/${own.dataSet}/instances`,
        [{ id: foreign.instance, revision: 1, data: { name: 'x' } }],
      ],
      ['DELETE', `/api/reference-data/${own.dataSet}/instances`, instances()],
      ['POST', '/api/missing-mappings/ignore', { ids: [foreign.missing], comment: 'no' }],
      ['POST', '/api/missing-mappings/reopen', { ids: [foreign.missing] }],
      ['POST', '/api/crosswalks/submit', { rows: [{ id: crosswalk, revision: 1 }] }],
      ['POST', '/api/crosswalks/restore', { rows: [{ id: crosswalk, revision: 1 }] }],
      ['DELETE', '/api/crosswalks', { rows: [{ id: crosswalk, revision: 1 }] }],
      ['POST', '/api/relationships/restore', { rows: [{ id: foreign.relationship, revision: 1 }] }],
      ['DELETE', '/api/relationships', { rows: [{ id: foreign.relationship, revision: 1 }] }],
    ];
    for (const [method, address, body] of rowRequests) {
      const answer = await request(person, method, address, body);
      const outcomes = answer.body.results?.map(({ outcome }: Json) => outcome) ?? [];
      expect([answer.status < 300 ? outcomes : ['refused'], `${method} ${address}`]).toEqual([
        ['refused'],
        `${method} ${address}`,
      ]);
    }

    const lists = [
      'reference-data',
      'collections',
      'crosswalks',
      'relationships',
      'relationships/values',
      'jobs',
      'missing-mappings',
      'approvals',
    ];
    for (const list of lists) {
      for (const outsider of [person, system]) {
        const answer = await request(outsider, 'GET', `/api/${list}?pageSize=1000`, undefined);
        if (answer.status === 200) expect(bodyText(answer), list).not.toContain(SECRET);
        else expect(answer.status, list).toBe(403);
      }
    }
    const subjects = await readFeedSubjects(person);
    expect(subjects).toContain(`data-set/${own.dataSet}`);
    for (const name of [
      `data-set/${dataSet}`,
      `instance/${dataSet}`,
      `crosswalk/${crosswalk}`,
      `mapping/${crosswalk}`,
      `relationship/${foreign.relationship}`,
      `relationship-value/${foreign.relationship}`,
      `collection/${collection}`,
    ]) {
      expect(subjects).not.toContain(name);
    }
    expect(leaks).toEqual([]);
    expect(await readForeignObjects()).toEqual(before);
  }, 120_000);

  it('is refused as an item of a collection if the user may only read the data set', async () => {
    const { id, person } = await createSignedInUser(admin, 2);
    const readable = await newCollection(steward, [{ entityType: 'user', entityId: id, permissionLevel: 'READ' }]);
    const shared = await newDataSet(steward, await newType(steward), readable, [{ code: 'x' }]);
    await person.eventually(`/api/reference-data/${shared}`, ({ status }) => status === 200);
    const mine = await newCollection(person);
    const answer = await person.post(`/api/collections/${mine}/items`, { dataSetIds: [shared] });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(done(await person.get(`/api/reference-data/${shared}`)).level).toBe('READ');
    expect((await person.delete(`/api/reference-data/${shared}`)).status).toBe(403);
  });

  it('is refused as a room of the live channel, which sends no changes of foreign objects', async () => {
    const person = outsiders.steward;
    const tab = await openTab(person);
    const { dataSet, crosswalk, relationship, job, user } = foreign;
    const rooms = [
      ...[
        `data-set:${dataSet}`,
        `crosswalk:${crosswalk}`,
        `relationship:${relationship}`,
        `job:${job}`,
        `user:${user}`,
      ],
      ...[`data-set:0${dataSet}`, ` data-set:${dataSet}`, `DATA-SET:${dataSet}`, `data-set:${dataSet}\n`, 'users', ''],
    ];
    for (const room of rooms) expect(await tab.join(room), JSON.stringify(room)).toMatchObject({ ok: false });
    const ownRooms = ['approvals', 'types', 'collections', 'crosswalks', 'relationships', `data-set:${own.dataSet}`];
    for (const room of ownRooms) await tab.join(room);
    done(await steward.patch(`/api/reference-data/${dataSet}`, { description: 'x' }));
    await draft(steward, crosswalk, [[`${SECRET} 2`, `${SECRET} 1`]]);
    done(await steward.patch(`/api/collections/${foreign.collection}`, { description: 'x' }));
    done(await person.patch(`/api/reference-data/${own.dataSet}`, { description: 'sent' }));
    await vi.waitFor(() => expect(tab.changes.map(({ entityId }) => entityId)).toContain(own.dataSet));
    const foreignChanges = tab.changes.filter(
      ({ entity, entityId }) =>
        (entity === 'data-set' && entityId === dataSet) ||
        (entity === 'mapping' && entityId === crosswalk) ||
        (entity === 'collection' && entityId === foreign.collection),
    );
    expect(foreignChanges).toEqual([]);
    console.log(`${rooms.length} foreign rooms refused, ${foreignChanges.length} of their messages received`);
    tab.close();
  });
});
