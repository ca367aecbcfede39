/** Checks that writes neither store nor return body fields that callers may not set. */
import { connectEventStore, type EventStore, type LogPosition } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { done } from './fixtures.ts';
import { type Answer, type Json, uniqueName } from './http-client.ts';
import { CALLERS, sendAs } from './permissions/callers.ts';
import { createFixture, type PermissionFixture } from './permissions/fixture.ts';
import { type PreparedRequest, requestBuilderOf } from './permissions/requests.ts';
import { ROWS, type TableRow } from './permissions/table.ts';
import { ADMIN_PASSWORD } from './stack.ts';

/** The error code of PostgreSQL for a missing table. */
const UNDEFINED_TABLE = '42P01';

/** The values of the extra fields. No other data contains them, so that the test can search for them. */
const MARK = `assigned-${uniqueName('mark').slice(-8)}`;
const NUMBER = 918_273_645;

/** Numeric fields of entities, events and rows. Callers may set some of them on some routes: see `SETTABLE`. */
const NUMBER_FIELDS = [
  ...['id', 'roleId', 'userId', 'ownerId', 'createdBy', 'updatedBy', 'approvedBy', 'rejectedBy', 'submittedBy'],
  ...['actorId', 'apiKeyId', 'jobId', 'typeId', 'fieldId', 'collectionId', 'crosswalkId', 'parentId', 'startedBy'],
  ...['revision', 'seq', 'position', 'schemaRevision', 'failedLoginAttempts', 'similarityThreshold', 'confidence'],
];
const TEXT_FIELDS = [
  ...['status', 'approvalStatus', 'served', 'servedTarget', 'authProvider', 'oktaId', 'passwordHash', 'requestId'],
  ...['createdAt', 'updatedAt', 'approvedAt', 'submittedAt', 'lockedUntil', 'lastLoginAt', 'erasedAt', 'expiresAt'],
  ...['origin', 'sourceType', 'commandId', 'correlationId', 'key', 'prefix', 'hash', 'role', 'level', 'fileHash'],
  ...['__proto__', 'constructor', '$where', 'changeHistory', 'permissionLevel', 'dataType', 'username', 'email'],
];
const LIST_FIELDS = [
  'authors',
  'routes',
  'abilities',
  'permissions',
  'scopes',
  'memberIds',
  'dataSetIds',
  'keyFieldIds',
];
/** Booleans have no unique value to search for. So the last tests check their effects on the entities. */
const BOOLEAN_FIELDS: Record<string, boolean> = {
  ...{ isAdmin: true, isActive: false, active: false, isPublic: true, deleted: true, isServed: true, isErased: true },
  ...{ requirePasswordChange: true, isLocked: true, isPrimaryKey: true, deletionRequested: true, hasValues: true },
  ...{ allowSelfRelationship: true, beforePasswordChange: true, public: true, service: true },
};

/**
 * Fields that callers may set on a route although the prepared request does not send them. The test does not add these
 * fields.
 */
const SETTABLE: Record<string, string[]> = {
  'POST /api/register': ['username'],
  'POST /api/users': ['requirePasswordChange'],
  'PATCH /api/users/:id': ['roleId', 'username', 'email'],
  'POST /api/roles': ['routes', 'abilities'],
  'PATCH /api/roles/:id': ['routes', 'abilities'],
  'POST /api/api-keys': ['expiresAt'],
  'PUT /api/reference-types/:id/schemas': ['fieldId', 'isPrimaryKey'],
  'POST /api/reference-types/:id/schema-preview': ['fieldId', 'isPrimaryKey'],
  'POST /api/reference-data/:id/schema-preview': ['fieldId', 'isPrimaryKey'],
  'POST /api/filter-configurations': ['isActive'],
  'PATCH /api/filter-configurations/:id': ['isActive'],
  'POST /api/reference-types': ['isPrimaryKey'],
  'POST /api/reference-data': ['collectionId'],
  'POST /api/relationships': ['allowSelfRelationship'],
  'PATCH /api/relationships/:id': ['allowSelfRelationship'],
  'POST /api/relationships/:id/copy': ['allowSelfRelationship'],
  'PATCH /api/relationships/:id/attributes': ['dataType'],
  'POST /api/crosswalks': ['similarityThreshold', 'cardinality'],
  'PATCH /api/crosswalks/:id': ['similarityThreshold', 'cardinality'],
  'POST /api/crosswalks/:id/mappings': ['confidence', 'origin'],
  'POST /api/missing-mappings/:id/map': ['confidence', 'origin'],
  'PATCH /api/crosswalks/:id/mappings': ['confidence'],
  'PATCH /api/imports/:id': ['key'],
  'POST /api/backups/:id/verify': ['level'],
};

/**
 * Properties inside which the test adds no fields. In `data` and `attributes`, users choose the names of the fields. A
 * filter with an unknown field is refused.
 */
const UNCHANGED_PROPERTIES: ReadonlySet<string> = new Set(['data', 'attributes', 'filter']);

/** Routes that refuse unknown fields, because a misspelt filter would select everything. */
const STRICT: Readonly<Record<string, number>> = { 'POST /api/selections': 400 };

let addedFieldCount = 0;

/** Returns the body with all extra fields at every depth, except inside `UNCHANGED_PROPERTIES`. */
function withExtraFields(body: Json, settable: readonly string[]): Json {
  if (Array.isArray(body)) return body.map((each) => withExtraFields(each, settable));
  if (typeof body !== 'object' || body === null) return body;
  const extraFields = {
    ...Object.fromEntries([...NUMBER_FIELDS.map((name) => [name, NUMBER]), ...TEXT_FIELDS.map((name) => [name, MARK])]),
  };
  for (const name of LIST_FIELDS) extraFields[name] = [MARK, NUMBER];
  Object.assign(extraFields, BOOLEAN_FIELDS);
  const result: Json = {};
  for (const [name, value] of Object.entries(extraFields)) {
    if (Object.hasOwn(body, name) || settable.includes(name)) continue;
    // With `defineProperty` instead of an assignment, __proto__ becomes a field like any other.
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true });
    addedFieldCount += 1;
  }
  for (const [name, value] of Object.entries(body))
    result[name] = UNCHANGED_PROPERTIES.has(name) ? value : withExtraFields(value, settable);
  return result;
}

function withExtraContent(prepared: PreparedRequest, settable: readonly string[]): PreparedRequest {
  if (!prepared.form) return { ...prepared, body: withExtraFields(prepared.body ?? {}, settable) };
  for (const name of [...NUMBER_FIELDS, ...TEXT_FIELDS]) {
    // Do not add a second target, because such a form is refused.
    if (prepared.form.has(name) || TARGETS.has(name)) continue;
    prepared.form.append(name, NUMBER_FIELDS.includes(name) ? String(NUMBER) : MARK);
    addedFieldCount += 1;
  }
  return prepared;
}

const TARGETS = new Set(['dataSetId', 'crosswalkId', 'relationshipId']);

let fixture: PermissionFixture;
/**
 * The ids of all users and all administrators before the requests. Test files that run at the same time create other
 * users.
 */
let usersBefore: number[];
let administratorsBefore: number[];
let store: EventStore;
let headBefore: LogPosition | null;
let lastPosition: bigint;
const answers: { row: string; answer: Answer }[] = [];

const isTestedWrite = ({ route }: TableRow) =>
  !route.startsWith('GET ') && !route.includes('/internal/') && !route.includes('okta');

/** Returns a caller that the route allows, preferably `admin`. */
const allowedCaller = ({ cells }: TableRow) => {
  const allowed = (name: (typeof CALLERS)[number]) => cells[name].status < 300 && cells[name].shows !== false;
  return allowed('admin') ? 'admin' : (CALLERS.find(allowed) ?? 'admin');
};

beforeAll(async () => {
  store = connectEventStore(inject('eventStoreUrl'));
  fixture = await createFixture(inject('baseUrl'), inject('databaseUrl'), ADMIN_PASSWORD);
  usersBefore = await userIds();
  administratorsBefore = await administrators();
  headBefore = await store.head();
  for (const row of ROWS.filter(isTestedWrite)) {
    const caller = fixture.callers[allowedCaller(row)];
    const request = withExtraContent(await requestBuilderOf(row.name)(fixture, caller), SETTABLE[row.route] ?? []);
    const method = row.route.split(' ')[0] as string;
    const answer = await sendAs(
      fixture.baseUrl,
      { ...caller, ...(request.cookie ? { cookie: request.cookie } : {}) },
      { method, ...request },
    );
    await request.after?.(answer);
    answers.push({ row: row.name, answer });
  }
  // Writes are projected in order. So when the last write is projected, all writes are.
  lastPosition = BigInt(done(await fixture.admin.post('/api/groups', { name: uniqueName('Last') })).position);
  await fixture.admin.get('/api/groups');
}, 600_000);
afterAll(async () => {
  await fixture.close();
  await store.close();
});

describe('fields that callers may not set', () => {
  it('do not prevent a write, except on routes that refuse unknown fields', () => {
    const statuses = Object.fromEntries(answers.map(({ row, answer }) => [row, answer.status]));
    const table = Object.fromEntries(
      ROWS.filter(isTestedWrite).map((row) => [row.name, row.cells[allowedCaller(row)].status]),
    );
    expect(statuses).toEqual({ ...table, ...STRICT });
  });

  it('are in no response', () => {
    const leaks = answers.filter(({ answer }) => {
      const text = JSON.stringify(answer.body);
      return text.includes(MARK) || text.includes(String(NUMBER));
    });
    expect(leaks).toEqual([]);
  });

  it('are in no event', async () => {
    const leaks: string[] = [];
    let events = 0;
    for await (const event of store.readAll(headBefore)) {
      events += 1;
      const text = JSON.stringify([event.stream, event.type, event.data, event.metadata]);
      if (text.includes(MARK) || text.includes(String(NUMBER))) leaks.push(`${event.type} ${text}`);
      if (event.position >= lastPosition) break;
    }
    console.log(
      `Mass assignment: ${addedFieldCount} fields in ${answers.length} writes; ${leaks.length} of ${events} events contain one`,
    );
    expect(events).toBeGreaterThan(0);
    expect(leaks).toEqual([]);
  });

  it('are in no table of the database', async () => {
    const { rows: tables } = await fixture.pool.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const leaks: string[] = [];
    for (const { name } of tables) {
      const { rows } = await fixture.pool
        .query<{ row: string }>(
          `SELECT t::text AS row FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' OR t::text LIKE '%' || $2 || '%' LIMIT 3`,
          [MARK, String(NUMBER)],
        )
        .catch((error: { code?: string }) => {
          // One of the writes rebuilds the read models, which removes the tables of the old build.
          if (error.code === UNDEFINED_TABLE) return { rows: [] };
          throw error;
        });
      leaks.push(...rows.map(({ row }) => `${name}: ${row}`));
    }
    console.log(`Mass assignment: ${leaks.length} rows of ${tables.length} tables contain one`);
    expect(tables.length).toBeGreaterThan(20);
    expect(leaks).toEqual([]);
  });
});

async function userIds(conditions: object[] = []): Promise<number[]> {
  const filter = encodeURIComponent(JSON.stringify({ logic: 'AND', conditions }));
  const { items } = done(await fixture.admin.get(`/api/users?pageSize=1000&sort=id&filter=${filter}`));
  return items.map((user: Json) => user.id);
}

/** Returns the ids of all users with the administrator role. */
const administrators = () => userIds([{ field: 'roleId', operator: 'equals', value: 1 }]);

describe('booleans that callers may not set', () => {
  const bodyOf = (name: string): Json => answers.find(({ row }) => row === name)?.answer.body;

  it('change the rights of no user', async () => {
    const { id } = bodyOf('POST /api/register');
    expect(done(await fixture.admin.get(`/api/users/${id}`))).toMatchObject({
      roleName: 'Viewer',
      isActive: true,
      isErased: false,
      isLocked: false,
      requirePasswordChange: false,
      authProvider: 'local',
    });
    expect(done(await fixture.admin.get(`/api/users/${bodyOf('POST /api/users').id}`))).toMatchObject({
      roleId: 4,
      isActive: true,
      isErased: false,
      authProvider: 'local',
    });
    expect((await administrators()).filter((user) => usersBefore.includes(user))).toEqual(administratorsBefore);
  });

  it('do not delete, serve or assign an entity', async () => {
    const dataSet = done(await fixture.admin.get(`/api/reference-data/${bodyOf('POST /api/reference-data').id}`));
    expect(dataSet).toMatchObject({ isPublic: true, createdBy: fixture.callers.admin.ownerId });
    const crosswalk = done(await fixture.admin.get(`/api/crosswalks/${bodyOf('POST /api/crosswalks').id}`));
    expect(crosswalk).toMatchObject({ approvalStatus: 'DRAFT', isServed: false, deletionRequested: false });
    const collection = done(await fixture.admin.get(`/api/collections/${bodyOf('POST /api/collections').id}`));
    expect(collection).toMatchObject({ ownerId: fixture.callers.admin.ownerId, revision: 1 });
    const drafted = bodyOf('POST /api/crosswalks/:id/mappings').id;
    const { items } = done(await fixture.admin.get(`/api/crosswalks/${fixture.crosswalkId}/mappings?pageSize=1000`));
    expect(items.find((row: Json) => row.id === drafted)).toMatchObject({
      status: 'DRAFT',
      served: null,
      approvedBy: null,
      createdBy: fixture.callers.admin.ownerId,
    });
  });
});
