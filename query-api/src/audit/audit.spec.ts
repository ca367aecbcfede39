/** Tests the audit log on a real PostgreSQL: rows with names, signing keys, replay, and verification of the chain. */
import {
  type AuditLogView,
  type ChainVerification,
  mappingKey,
  type Page,
  type ReplayStep,
  rowId,
  type SigningKeyView,
  streams,
} from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, dataSetCreated, mappingsDrafted } from '@rdm/contracts/testing/events';
import type { Route } from '@rdm/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tableOf } from '../fixtures/database.ts';
import { type RequestOptions, startWorld, type World } from '../fixtures/world.ts';
import { auditRoutes } from './audit.ts';

const [ADMIN, STEWARD, ERASED] = [1, 2, 3];
const CROSSWALK = 4;
const [DE, FR] = [rowId(1, mappingKey('DE')), rowId(2, mappingKey('FR'))];
const LOGS = tableOf('audit_logs');

let world: World;
let routes: Route[];

beforeAll(async () => {
  world = await startWorld();
  const { append } = world;
  for (const userId of [ADMIN, STEWARD]) {
    append('access-main', { type: 'UserRegistered', data: { userId, roleId: userId } }, { actor: null });
  }
  append('access-main', collectionCreated({ collectionId: 7, name: '=Geography', ownerId: STEWARD }), {
    actor: STEWARD,
  });
  append('access-main', { type: 'CollectionChanged', data: { collectionId: 7, tags: ['x'] } }, { actor: ERASED });
  const definition = { id: CROSSWALK, sourceSystemId: 10, targetSystemId: 11 };
  append(`crosswalk-${CROSSWALK}`, crosswalkDefined(definition), { actor: STEWARD });
  for (const [id, sourceValue] of [
    [DE, 'DE'],
    [FR, 'FR'],
  ] as const) {
    const stream = streams.mappings(CROSSWALK, id % 64);
    const metadata = { actor: STEWARD, dataSetIds: [10, 11] };
    append(stream, mappingsDrafted({ id, sourceValue, targetValue: 'X', confidence: 90 }), metadata);
    append(stream, { type: 'MappingsSubmitted', data: { ids: [id], comment: 'look' } }, metadata);
    append(stream, { type: 'MappingsRejected', data: { ids: [id], comment: 'wrong' } }, { dataSetIds: [10, 11] });
  }
  await world.project();
  await world.pool.query(
    `INSERT INTO identity.users (id, username, email) VALUES (1, 'admin', 'a@example.com'), (2, 'steward', 's@example.com');
     INSERT INTO identity.request_contexts (request_id, ip_address, user_agent) VALUES ('request-5', '10.0.0.9', 'Firefox')`,
  );
  routes = auditRoutes(world.context);
}, 120_000);
afterAll(() => world?.stop());

const readLog = async <Body>(path: string, query: RequestOptions['query'] = {}) =>
  (await world.request<Body>(routes, `/api/audit-logs${path}`, { query })).body;

describe('the audit log', () => {
  it('lists the latest rows first, with the names of users and entities', async () => {
    const { items, total } = await readLog<Page<AuditLogView>>('');
    expect(total).toBe(world.events.length);
    expect(items.map((row) => row.seq)).toEqual(world.events.map((_, index) => world.events.length - index));
    expect(items.find((row) => row.action === 'CrosswalkDefined')).toMatchObject({
      kind: 'crosswalk',
      username: 'steward',
      userId: STEWARD,
      entityType: 'crosswalk',
      entityId: CROSSWALK,
      entityName: 'Countries',
      ipAddress: '10.0.0.9',
      userAgent: 'Firefox',
    });
    expect(items.find((row) => row.action === 'CollectionChanged')).toMatchObject({
      username: 'Former user',
      userId: ERASED,
      entityName: '=Geography',
    });
    expect(items.find((row) => row.action === 'UserRegistered')).toMatchObject({ username: null, userId: null });
  });
  it('is returned in pages', async () => {
    const { items, total } = await readLog<Page<AuditLogView>>('', { page: '2', pageSize: '3' });
    const lastSeq = world.events.length;
    expect(total).toBe(lastSeq);
    expect(items.map((row) => row.seq)).toEqual([lastSeq - 3, lastSeq - 4, lastSeq - 5]);
    expect((await readLog<Page<AuditLogView>>('', { kind: 'approvals' })).total).toBe(4);
  });
  it('finds rows by kind, filter and search, and accepts sorts', async () => {
    const { items } = await readLog<Page<AuditLogView>>('', { kind: 'approvals', q: 'wrong' });
    expect(items.map((row) => [row.action, row.statusBefore, row.statusAfter, row.rejectionReason])).toEqual([
      ['MappingsRejected', 'PENDING', 'REJECTED', 'wrong'],
      ['MappingsRejected', 'PENDING', 'REJECTED', 'wrong'],
    ]);
    const filterBy = (field: string, operator: string, value: unknown) =>
      readLog<Page<AuditLogView>>('', { filter: JSON.stringify({ conditions: [{ field, operator, value }] }) });
    expect((await filterBy('username', 'equals', 'steward')).total).toBe(6);
    expect((await filterBy('recordIds', 'contains', DE)).total).toBe(3);
    expect((await filterBy('correlationId', 'equals', 'correlation-5')).items[0]?.action).toBe('CrosswalkDefined');
    for (const sort of ['timestamp', 'entityName', 'username', 'affectedRecordCount', 'ipAddress']) {
      expect((await readLog<Page<AuditLogView>>('', { sort })).items).toHaveLength(world.events.length);
    }
  });
  it('exports all rows, with formulas neutralised', async () => {
    const csv = await world.download(routes, '/api/audit-logs/export', {});
    expect(csv.text.trim().split('\r\n')).toHaveLength(world.events.length + 1);
    expect(csv.text).toContain("'=Geography");
    const ndjson = await world.download(routes, '/api/audit-logs/export', {
      query: { format: 'ndjson', kind: 'approvals' },
    });
    expect(
      ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).action),
    ).toEqual(['MappingsSubmitted', 'MappingsRejected', 'MappingsSubmitted', 'MappingsRejected']);
  });
});

describe('the signing keys', () => {
  it('are listed in the order of their registration', async () => {
    const keys = ['b', 'a'].map((digit) => ({ keyId: digit.repeat(16), publicKey: `the key ${digit}` }));
    for (const data of keys) world.append('system-keys', { type: 'SigningKeyRegistered', data }, { actor: null });
    await world.project();
    const listed = await readLog<SigningKeyView[]>('/keys');
    expect(listed).toEqual(keys.map((key) => ({ ...key, registeredAt: expect.any(String) })));
  });
});

describe('replay', () => {
  const readSteps = (query: RequestOptions['query']) => readLog<ReplayStep[]>('/replay', query);
  it('replays one row, with its state after each event', async () => {
    const replayed = await readSteps({ entity: `mapping:${CROSSWALK}:${DE}` });
    expect(
      replayed.map(({ seq, type, actorId, state }) => [
        seq,
        type,
        actorId,
        (state as { approvalStatus: string }).approvalStatus,
      ]),
    ).toEqual([
      [6, 'MappingsDrafted', STEWARD, 'DRAFT'],
      [7, 'MappingsSubmitted', STEWARD, 'PENDING'],
      [8, 'MappingsRejected', ADMIN, 'REJECTED'],
    ]);
    expect(replayed[0]).toMatchObject({ data: { rows: [{ id: DE }] }, state: { value: { targetValue: 'X' } } });
  });
  it('replays entities and whole streams', async () => {
    expect(await readSteps({ entity: `crosswalk:${CROSSWALK}` })).toMatchObject([
      { seq: 5, state: { value: { name: 'Countries' } } },
    ]);
    const collection = await readSteps({ entity: 'collection:7' });
    expect(collection.map(({ state }) => (state as { tags: string[]; revision: number }).tags)).toEqual([[], ['x']]);
    expect(collection[0]?.state).toMatchObject({ dataSetIds: [], grants: {} });
    expect((await readSteps({ stream: 'access-main' })).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(await readSteps({ stream: 'access-main', offset: '1', limit: '2' })).toHaveLength(2);
  });
  it('names the fields, rows and entities whose ids a step contains', async () => {
    const { append } = world;
    const [TYPE, SOURCE, TARGET, DISTANCE] = [5, 20, 21, 1];
    append(`referenceType-${TYPE}`, {
      type: 'ReferenceTypeDefined',
      data: {
        ...{ id: TYPE, name: 'Country', description: '' },
        fields: [{ fieldId: 1, name: 'code', dataType: 'string', isPrimaryKey: true }],
      },
    });
    for (const id of [SOURCE, TARGET]) append(`dataSet-${id}`, dataSetCreated({ id, typeId: TYPE, keyFieldIds: [1] }));
    const schema = { schemaRevision: 1, keyFieldIds: [1] };
    append(`instances-${SOURCE}.0`, {
      type: 'InstancesAdded',
      data: { ...schema, rows: [{ id: 64, values: { 1: 'DE' } }] },
    });
    append(`referenceType-${TYPE}`, { type: 'FieldRenamed', data: { fieldId: 1, name: 'alpha-2' } });
    append(`instances-${SOURCE}.0`, { type: 'InstancesRemoved', data: { ids: [64] } });
    await world.project();
    const namesOf = async (entity: string) => (await readSteps({ entity })).map(({ names }) => names);
    expect(await namesOf(`instance:${SOURCE}:64`)).toEqual([
      { 'instances:20': 'Set 20', 'field:1': 'code' },
      { 'field:1': 'alpha-2' },
    ]);
    expect(await namesOf(`data-set:${SOURCE}`)).toEqual([
      { 'dataSet:20': 'Set 20', 'referenceType:5': 'Country', 'field:1': 'code' },
    ]);
    expect(await namesOf(`reference-type:${TYPE}`)).toEqual([
      { 'referenceType:5': 'Country', 'field:1': 'code' },
      { 'field:1': 'alpha-2' },
    ]);
    const ends = { sourceDataSetId: SOURCE, targetDataSetId: TARGET, sourceFieldId: 1, targetFieldId: 1 };
    const rules = { relationshipType: '', cardinality: 'MANY_TO_MANY', allowSelfRelationship: false } as const;
    append('relationship-9', { type: 'RelationshipDefined', data: { id: 9, name: 'Borders', ...rules, ...ends } });
    append('relationship-9', {
      type: 'RelationshipAttributeDefined',
      data: { attributeId: DISTANCE, name: 'km', dataType: 'number', isRequired: false, description: '' },
    });
    append(`instances-${TARGET}.0`, {
      type: 'InstancesAdded',
      data: { ...schema, rows: [{ id: 64, values: { 1: 'FR' } }] },
    });
    append('relationshipValues-9.0', {
      type: 'RelationshipValuesDrafted',
      data: { rows: [{ id: 64, sourceInstanceId: 64, targetInstanceId: 64, attributes: { 1: 400 } }] },
    });
    await world.project();
    expect(await namesOf('relationship-value:9:64')).toEqual([
      {
        ...{ 'relationshipValues:9': 'Borders', 'attribute:1': 'km' },
        ...{ 'sourceField:1': 'alpha-2', 'targetField:1': 'alpha-2', 'sourceRow:64': 'DE', 'targetRow:64': 'FR' },
      },
    ]);
  });
  it('names the API key of an event', async () => {
    await world.pool.query(
      `INSERT INTO identity.api_keys (id, name, description, scopes, created_by) VALUES (7, 'Nightly', '', '[]', 1)`,
    );
    world.append('access-main', { type: 'CollectionChanged', data: { collectionId: 7, tags: ['y'] } }, { apiKeyId: 7 });
    const byKey = { actorId: ADMIN, apiKeyId: 7 };
    // The audit log does not have the event yet.
    const readLastStep = async () => (await readSteps({ entity: 'collection:7' })).at(-1);
    expect(await readLastStep()).toMatchObject({ ...byKey, seq: 0, apiKeyName: null });
    await world.project();
    expect(await readLastStep()).toMatchObject({ ...byKey, seq: world.events.length, apiKeyName: 'Nightly' });
    expect((await readSteps({ entity: 'collection:7' }))[0]).toMatchObject({ apiKeyId: null, apiKeyName: null });
  });
  it('refuses invalid and unknown subjects', async () => {
    for (const query of [{}, { entity: 'crosswalk' }, { entity: 'moon:1' }, { entity: 'mapping:4' }]) {
      await expect(readSteps(query)).rejects.toMatchObject({ code: 'INVALID' });
    }
    for (const query of [
      { entity: 'crosswalk:999' },
      { stream: '$settings' },
      { entity: `mapping:${CROSSWALK}:64000` },
    ]) {
      await expect(readSteps(query)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('verification of the chain', () => {
  const verify = (query: RequestOptions['query'] = {}) => readLog<ChainVerification>('/verify', query);
  const readHead = async () => (await readLog<{ head: { seq: number; chainHash: string } }>('/head')).head;
  let restore: (() => Promise<unknown>) | undefined;
  afterEach(async () => {
    await restore?.();
    restore = undefined;
    expect(await verify()).toMatchObject({ intact: true, verified: world.events.length });
  });
  const tamper = async (statement: string) => {
    await world.pool.query(`CREATE TABLE public.kept AS SELECT * FROM ${LOGS}; ${statement}`);
    restore = () =>
      world.pool.query(`TRUNCATE ${LOGS}; INSERT INTO ${LOGS} SELECT * FROM public.kept; DROP TABLE public.kept`);
  };

  it('succeeds for an untouched log, and accepts an exported head', async () => {
    const { seq, chainHash } = await readHead();
    expect(seq).toBe(world.events.length);
    expect(await verify()).toEqual({
      ...{ intact: true, verified: seq, head: { seq, chainHash }, brokenAt: null },
      ...{ purged: 0, purges: [], notes: [], summary: `Intact. ${seq} events.` },
    });
    expect(await verify({ seq: String(seq), chainHash })).toMatchObject({ intact: true });
  });
  it.each([
    ['an edited column', `UPDATE ${LOGS} SET change_summary = 'nothing' WHERE seq = 6`, 6],
    ['an edited derived field', `UPDATE ${LOGS} SET severity = 'WARN' WHERE seq = 5`, 5],
    ['another actor', `UPDATE ${LOGS} SET actor_id = 9 WHERE seq = 3`, 3],
    ['a deleted row', `DELETE FROM ${LOGS} WHERE seq = 4`, 4],
    [
      'two rows swapped',
      `UPDATE ${LOGS} SET seq = CASE seq WHEN 7 THEN -8 ELSE -7 END WHERE seq IN (7, 8); UPDATE ${LOGS} SET seq = -seq WHERE seq < 0`,
      7,
    ],
    ['a forged link', `UPDATE ${LOGS} SET chain_hash = repeat('a', 64) WHERE seq = 2`, 2],
  ])('reports where the chain breaks: %s', async (_, statement, seq) => {
    await tamper(statement);
    expect(await verify()).toMatchObject({ intact: false, verified: seq - 1, brokenAt: { seq } });
  });
  it('finds a truncated log by an exported head', async () => {
    const { seq, chainHash } = await readHead();
    await tamper(`DELETE FROM ${LOGS} WHERE seq = ${seq}`);
    expect(await verify()).toMatchObject({ intact: true });
    expect(await verify({ seq: String(seq), chainHash })).toMatchObject({ intact: false, brokenAt: { seq } });
  });
  it('finds a changed or missing event in the store', async () => {
    const event = world.events[4] as { data: unknown };
    const { data } = event;
    event.data = { ...(data as object), name: 'Another' };
    restore = async () => {
      event.data = data;
    };
    expect(await verify()).toMatchObject({
      intact: false,
      brokenAt: { seq: 5, reason: 'Digest of event 5 differs' },
    });
    await restore();
    const lastEvent = world.events.pop();
    restore = async () => world.events.push(lastEvent as never);
    expect(await verify()).toMatchObject({
      intact: false,
      brokenAt: {
        seq: world.events.length + 1,
        reason: `Event ${world.events.length + 1} is missing and no purge names it`,
      },
    });
  });
});
