/**
 * Creates the data of the permission table: a collection with an object of every kind, and callers with each level on
 * the collection.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newType, rowsOf } from '../fixtures.ts';
import { HttpClient, type Json, uniqueName } from '../http-client.ts';
import { type Caller, type CallerName, sendAs } from './callers.ts';

export const PASSWORD = 'Matrix-person-1';

export type Row = { id: number; revision: number };

export interface PermissionFixture {
  baseUrl: string;
  /** For changes that no route makes, such as the sign-in provider of a user. */
  pool: pg.Pool;
  /** The cursor of the change feed before the fixture is created. */
  feedStart: string;
  /** The administrator of the stack, who is not one of the callers. */
  admin: HttpClient;
  /** A steward who owns the collection and creates the objects of the requests, and who is not one of the callers. */
  author: HttpClient;
  authorId: number;
  authorName: string;
  callers: Record<CallerName, Caller>;
  typeId: number;
  collectionId: number;
  /** Another collection with the same grants. */
  otherCollectionId: number;
  /** A collection where the steward has APPROVER, the highest level that cannot add data sets. */
  promotedId: number;
  /** Data sets in `collectionId`. */
  sourceId: number;
  targetId: number;
  /** A data set of the administrator that is in no collection. */
  foreignId: number;
  instance: Row;
  crosswalkId: number;
  /** An approved mapping of the crosswalk. */
  served: Row;
  /** A mapping under review. */
  pending: Row;
  relationshipId: number;
  /** A value of the relationship. The relationship has the attribute `note`. */
  related: Row;
  /** The id of the command that drafted `related`. */
  batchId: string;
  missingId: number;
  /** Another missing mapping, for the requests that ignore, reopen or map one. */
  ignorableId: number;
  /** A shared filter of the author for the source data set. */
  sharedFilterId: number;
  /** A filter configuration of the source data set. */
  configurationId: number;
  /** A data set for imports. It has no crosswalks, because the undo of an import would have to read all of them. */
  importedId: number;
  /** The ended job of an import into `importedId`. */
  jobId: number;
  /** Targets of requests: a user, a role, a group and a key that no caller uses. */
  spareId: number;
  spareRoleId: number;
  spareGroupId: number;
  spareKeyId: number;
  backupId: number;
  /** A purge with an empty plan, because the collection has no deleted data sets. */
  purgeId: number;
  /** A legal hold on the source data set. */
  holdId: number;
  close(): Promise<void>;
}

/** The granted levels of users on the collections. Keys have scopes instead. */
const LEVELS: Partial<Record<CallerName, string>> = {
  flagged: 'READ',
  curator: 'READ',
  viewer: 'READ',
  sso: 'READ',
  steward: 'WRITE',
  approver: 'APPROVER',
  keeper: 'ADMIN',
};

export async function newUser(
  admin: HttpClient,
  roleId: number,
  otherFields: Json = {},
): Promise<{ id: number; username: string }> {
  const username = `matrix-${randomUUID().slice(0, 8)}`;
  const email = `${username}@example.com`;
  const { id } = done(
    await admin.post('/api/users', {
      username,
      email,
      password: PASSWORD,
      roleId,
      requirePasswordChange: false,
      ...otherFields,
    }),
  );
  return { id, username };
}

export async function cookieOf(baseUrl: string, signIn: { username: string; password: string }): Promise<string> {
  const person = new HttpClient(baseUrl);
  done(await person.signIn(signIn.username, signIn.password));
  return person.cookie;
}

async function newCaller(
  fixture: Pick<PermissionFixture, 'baseUrl' | 'admin' | 'pool'>,
  name: CallerName,
  roleId: number,
): Promise<Caller> {
  const { id, username } = await newUser(fixture.admin, roleId, { requirePasswordChange: name === 'flagged' });
  const signIn = { username, password: PASSWORD };
  const cookie = await cookieOf(fixture.baseUrl, signIn);
  const caller = { name, ownerId: id, signIn, cookie };
  await setAuthProvider(fixture.pool, caller, name === 'sso' ? 'okta' : 'local');
  return caller;
}

/** Writes the provider into the user's row in the database, because this test has no sign-in provider. */
const setAuthProvider = (pool: pg.Pool, { ownerId }: Caller, provider: 'local' | 'okta') =>
  pool.query('UPDATE identity.users SET auth_provider = $2 WHERE id = $1', [ownerId, provider]);

/** Returns the cookie of another session, for a request that ends the session; empty for callers without sign-in. */
export async function newSession({ baseUrl, pool }: PermissionFixture, caller: Caller): Promise<string> {
  if (!caller.signIn) return '';
  await setAuthProvider(pool, caller, 'local');
  const cookie = await cookieOf(baseUrl, caller.signIn);
  await setAuthProvider(pool, caller, caller.name === 'sso' ? 'okta' : 'local');
  return cookie;
}

async function newKey(admin: HttpClient, name: CallerName, scope: string, collectionIds: number[]): Promise<Caller> {
  const scopes = collectionIds.map((collectionId) => ({ collectionId, scope }));
  const { id, key } = done(await admin.post('/api/api-keys', { name: uniqueName(name), scopes }));
  return { name, ownerId: -id, key };
}

export async function newRole(admin: HttpClient, name: string, routes: string[], abilities: string[]): Promise<number> {
  return done(await admin.post('/api/roles', { name: uniqueName(name), routes, abilities })).id;
}

/** Returns the grants that give the callers their `LEVELS`. */
export const grantsOf = (callers: Partial<Record<CallerName, Caller>>): Json[] =>
  Object.values(callers).flatMap(({ name, ownerId }) => {
    const permissionLevel = LEVELS[name];
    return permissionLevel ? [{ entityType: 'user', entityId: ownerId, permissionLevel }] : [];
  });

export async function createGrantedCollection(author: HttpClient, grants: Json[]): Promise<number> {
  const { id } = done(await author.post('/api/collections', { name: uniqueName('Matrix') }));
  done(await author.put(`/api/collections/${id}/permissions`, { permissions: grants }));
  return id;
}

/** Drafts and submits a mapping as the author. */
export async function createSubmittedMapping(author: HttpClient, crosswalkId: number): Promise<Row> {
  const [drafted] = await draft(author, crosswalkId, [[uniqueName('value'), 'x']]);
  const [row] = rowsOf(done(await author.post(`/api/crosswalks/${crosswalkId}/mappings/submit`, { rows: [drafted] })));
  return row as Row;
}
export async function createApprovedMapping(
  { author, admin }: Pick<PermissionFixture, 'author' | 'admin'>,
  crosswalkId: number,
): Promise<Row> {
  const submitted = await createSubmittedMapping(author, crosswalkId);
  const [row] = rowsOf(
    done(await admin.post(`/api/crosswalks/${crosswalkId}/mappings/approve`, { rows: [submitted] })),
  );
  return row as Row;
}

export async function createFixture(
  baseUrl: string,
  databaseUrl: string,
  adminPassword: string,
): Promise<PermissionFixture> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const admin = new HttpClient(baseUrl);
  done(await admin.signIn('admin', adminPassword));
  const { rows: readers } = await pool.query(`SELECT log_id || ':' || seq AS cursor FROM platform.reader`);
  const feedStart = readers[0].cursor as string;
  const backup = newBackup(admin);
  const [curatorRole, keeperRole, guestRole] = await Promise.all([
    newRole(admin, 'Curator', ['/reference-types', '/crosswalks', '/approvals'], ['types.write', 'filters.manage']),
    newRole(admin, 'Keeper', ['/collections', '/crosswalks'], ['dataSets.create']),
    newRole(admin, 'Guest', [], []),
  ]);
  const context = { baseUrl, admin, pool };

  const users: [CallerName, number][] = [
    ['flagged', 4],
    ['guest', guestRole],
    ['curator', curatorRole],
    ['viewer', 4],
    ['sso', 4],
    ['steward', 2],
    ['approver', 3],
    ['keeper', keeperRole],
    ['admin', 1],
  ];
  const callers: Partial<Record<CallerName, Caller>> = { anonymous: { name: 'anonymous', ownerId: 0 } };
  await Promise.all(
    users.map(async ([name, roleId]) => {
      callers[name] = await newCaller(context, name, roleId);
    }),
  );
  const { id: authorId, username } = await newUser(admin, 2);
  const author = new HttpClient(baseUrl);
  done(await author.signIn(username, PASSWORD));

  const grants = grantsOf(callers);
  const promoted = grants.map((grant) =>
    grant.permissionLevel === 'WRITE' ? { ...grant, permissionLevel: 'APPROVER' } : grant,
  );
  const [collectionId, otherCollectionId, promotedId] = await Promise.all([
    createGrantedCollection(author, grants),
    createGrantedCollection(author, grants),
    createGrantedCollection(author, promoted),
  ]);
  await Promise.all(
    (['read', 'translate', 'write'] as const).map(async (scope) => {
      const name = `key-${scope}` as const;
      callers[name] = await newKey(admin, name, scope, [collectionId, otherCollectionId]);
    }),
  );

  const typeId = await newType(author);
  const rows = [{ code: 'A', name: 'First' }, { code: 'B' }];
  const sourceId = await newDataSet(author, typeId, collectionId, rows);
  const targetId = await newDataSet(author, typeId, collectionId, rows);
  const foreignId = done(await admin.post('/api/reference-data', { name: uniqueName('Foreign'), typeId })).id;
  const [instance] = done(await author.get(`/api/reference-data/${sourceId}/instances`)).items as Row[];

  const crosswalkId = await newCrosswalk(author, sourceId, targetId);
  const [drafted] = await draft(author, crosswalkId, [['A', 'A']]);
  const [submitted] = rowsOf(
    done(await author.post(`/api/crosswalks/${crosswalkId}/mappings/submit`, { rows: [drafted] })),
  );
  done(await admin.post(`/api/crosswalks/${crosswalkId}/approve`, {}));
  const [served] = rowsOf(
    done(await admin.post(`/api/crosswalks/${crosswalkId}/mappings/approve`, { rows: [submitted] })),
  );
  const pending = await createSubmittedMapping(author, crosswalkId);
  const newMissing = async (): Promise<number> =>
    done(await author.post('/api/missing-mappings', { crosswalkId, sourceValue: uniqueName('missing') })).id;
  const [missingId, ignorableId] = [await newMissing(), await newMissing()];
  const relationshipId = done(
    await author.post('/api/relationships', {
      name: uniqueName('Relationship'),
      sourceDataSetId: sourceId,
      targetDataSetId: targetId,
      sourceField: 'code',
      targetField: 'code',
    }),
  ).id;
  done(await author.post(`/api/relationships/${relationshipId}/attributes`, { name: 'note', dataType: 'string' }));
  const draftedValues = done(
    await author.post(`/api/relationships/${relationshipId}/values`, { rows: [{ sourceKey: 'A', targetKey: 'B' }] }),
  );
  const [related] = rowsOf(draftedValues);
  const importedId = await newDataSet(author, typeId, collectionId);
  const jobId = await runImport(author, importedId);

  const sharedFilterId = await createSavedFilter(author, sourceId, true);
  const configurationId = await createConfiguration(admin, sourceId);

  const spare = await newUser(admin, 4);
  const spareRoleId = await newRole(admin, 'Spare', [], []);
  const spareGroupId = done(await admin.post('/api/groups', { name: uniqueName('Spare') })).id;
  const spareKey = await newKey(admin, 'key-read', 'read', [collectionId]);

  const fixture: PermissionFixture = {
    baseUrl,
    pool,
    feedStart,
    admin,
    author,
    authorId,
    authorName: username,
    callers: callers as Record<CallerName, Caller>,
    typeId,
    collectionId,
    otherCollectionId,
    promotedId,
    sourceId,
    targetId,
    foreignId,
    instance: instance as Row,
    crosswalkId,
    served: served as Row,
    pending,
    relationshipId,
    related: related as Row,
    batchId: draftedValues.commandId,
    missingId,
    ignorableId,
    sharedFilterId,
    configurationId,
    importedId,
    jobId,
    spareId: spare.id,
    spareRoleId,
    spareGroupId,
    spareKeyId: -spareKey.ownerId,
    backupId: await backup,
    purgeId: await newPurge({ admin, collectionId }),
    holdId: await newHold({ admin, sourceId }),
    close: () => pool.end(),
  };
  await waitUntilProjected(fixture);
  return fixture;
}

export function csvForm(dataSetId: number, lines = 1): FormData {
  const form = new FormData();
  form.set('dataSetId', String(dataSetId));
  const codes = Array.from({ length: lines }, () => uniqueName('row'));
  form.set(
    'file',
    new File([`code,name\n${codes.map((code) => `${code},Row\n`).join('')}`], 'rows.csv', { type: 'text/csv' }),
  );
  return form;
}

const entityOf = (id: number): string => `data-set:${id}`;

export const savedFilterBody = (dataSetId: number, isShared = false): Json => ({
  name: uniqueName('Filter'),
  entity: entityOf(dataSetId),
  view: { filter: { logic: 'AND', conditions: [{ field: 'code', operator: 'equals', value: 'A' }] } },
  isShared,
});
export const createSavedFilter = async (person: HttpClient, dataSetId: number, isShared: boolean): Promise<number> =>
  done(await person.post('/api/saved-filters', savedFilterBody(dataSetId, isShared))).id;

export const configurationBody = (dataSetId: number): Json => ({
  entityType: entityOf(dataSetId),
  fieldName: 'code',
  dataType: 'string',
});
export const createConfiguration = async (person: HttpClient, dataSetId: number): Promise<number> =>
  done(await person.post('/api/filter-configurations', configurationBody(dataSetId))).id;

export async function runImport(author: HttpClient, dataSetId: number): Promise<number> {
  const { id } = done(await author.post('/api/imports', csvForm(dataSetId)));
  const { jobId } = done(await author.post(`/api/imports/${id}/start`, { description: 'Rows' }));
  await author.eventually(`/api/jobs/${jobId}`, ({ body }) => body.status === 'DONE');
  return jobId;
}

export const newPurgeBody = ({ collectionId }: Pick<PermissionFixture, 'collectionId'>): Json => ({
  kind: 'dataSets',
  scope: { collectionId },
  before: new Date().toISOString(),
});

/** Requests the plan of a purge, and waits until the plan is ready. */
export async function newPurge(fixture: Pick<PermissionFixture, 'admin' | 'collectionId'>): Promise<number> {
  const { id } = done(await fixture.admin.post('/api/purges', newPurgeBody(fixture)));
  await fixture.admin.eventually(`/api/purges/${id}`, ({ body }) => body.isPlanned);
  return id;
}

export const newHoldBody = ({ sourceId }: Pick<PermissionFixture, 'sourceId'>): Json => ({
  scope: { kind: 'dataSet', id: sourceId },
  matter: 'Case 17',
  reason: 'none',
});

export const newHold = async (fixture: Pick<PermissionFixture, 'admin' | 'sourceId'>): Promise<number> =>
  done(await fixture.admin.post('/api/legal-holds', newHoldBody(fixture))).id;

/** Makes a backup and waits until it is verified. Retries while another backup runs. */
export async function newBackup(admin: HttpClient, body: Json = {}): Promise<number> {
  const started = await vi.waitFor(async () => done(await admin.post('/api/backups', body)), { timeout: 60_000 });
  const isVerified = ({ id, verifiedAt }: Json) => id === started.id && verifiedAt !== null;
  await admin.eventually('/api/backups', ({ body }) => body.items.some(isVerified));
  return started.id;
}

/** Waits until the read models have the objects, and until each caller with access can use the crosswalk. */
async function waitUntilProjected(fixture: PermissionFixture): Promise<void> {
  const { author, admin, jobId, crosswalkId, relationshipId } = fixture;
  await author.eventually(`/api/relationships/${relationshipId}/values`, ({ body }) => body.total === 1);
  await author.eventually(`/api/crosswalks/${crosswalkId}/mappings/counts`, ({ body }) => body.pending === 1);
  await author.eventually(`/api/missing-mappings?crosswalkId=${crosswalkId}`, ({ body }) => body.total === 2);
  await author.eventually(`/api/batches/${fixture.batchId}`, ({ status }) => status === 200);
  await author.eventually(`/api/jobs/${jobId}`, ({ status }) => status === 200);
  await author.eventually('/api/saved-filters', ({ body }) => body.total >= 1);
  await admin.eventually('/api/filter-configurations', ({ body }) => body.total >= 1);
  await admin.eventually('/api/api-keys', ({ body }) => body.total >= 4);
  const readers = Object.values(fixture.callers).filter(
    ({ name }) => !['anonymous', 'flagged', 'guest'].includes(name),
  );
  await Promise.all(
    readers.map((caller) => {
      const path = `/api/crosswalks/${crosswalkId}${caller.name === 'key-translate' ? '/translate?value=A' : ''}`;
      return vi.waitFor(
        async () => expect((await sendAs(fixture.baseUrl, caller, { method: 'GET', path })).status).toBe(200),
        { timeout: 20_000 },
      );
    }),
  );
}
