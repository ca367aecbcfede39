/**
 * Builds the request of each row of the permission table, usually with a valid body and an existing object. If a
 * request can succeed only once for an object, each caller gets a new object.
 */

import { vi } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newType, rowsForm, rowsOf } from '../fixtures.ts';
import { type Answer, type Json, uniqueName } from '../http-client.ts';
import { type Caller, type CallerRequest, sendAs } from './callers.ts';
import {
  configurationBody,
  createApprovedMapping,
  createConfiguration,
  createGrantedCollection,
  createSavedFilter,
  createSubmittedMapping,
  csvForm,
  grantsOf,
  newBackup,
  newHold,
  newHoldBody,
  newPurge,
  newPurgeBody,
  newRole,
  newSession,
  newUser,
  PASSWORD,
  type PermissionFixture,
  type Row,
  runImport,
  savedFilterBody,
} from './fixture.ts';

export interface PreparedRequest extends Omit<CallerRequest, 'method'> {
  /**
   * Whether a successful response contains the requested item or confirms the requested change. The table shows this
   * as + and -.
   */
  shows?: (body: Json) => boolean;
  /** The cookie of a new session, used instead of the caller's cookie because the request ends its session. */
  cookie?: string;
  /** Adapts the caller to the effect of the request, for example to a changed password. */
  after?: (answer: Answer) => Promise<unknown>;
}

type RequestBuilder = (fixture: PermissionFixture, caller: Caller) => PreparedRequest | Promise<PreparedRequest>;

/** Builds a request without a body. */
const at =
  (path: (fixture: PermissionFixture) => string): RequestBuilder =>
  (fixture) => ({ path: path(fixture) });

/** Builds a request with a body. The default is an empty object. */
const withBody =
  (
    path: (fixture: PermissionFixture) => string,
    body: (fixture: PermissionFixture) => unknown = () => ({}),
  ): RequestBuilder =>
  (fixture) => ({ path: path(fixture), body: body(fixture) });

/** Builds a search for the name of the entity at a path. */
const searchOf =
  (
    path: (fixture: PermissionFixture) => string,
    shows: (body: Json, fixture: PermissionFixture) => boolean,
  ): RequestBuilder =>
  async (fixture) => {
    const { name } = done(await fixture.author.get(path(fixture)));
    return { path: `/api/search?q=${encodeURIComponent(name)}`, shows: (body) => shows(body, fixture) };
  };

/** Builds a request for an unpaged list. The answer contains the expected id if the caller may read this item. */
const wholeList =
  (
    path: (fixture: PermissionFixture) => string,
    expectedId: (fixture: PermissionFixture) => number,
    key = 'id',
  ): RequestBuilder =>
  (fixture) => ({
    path: path(fixture),
    shows: (body) => (Array.isArray(body) ? body : body.items).some((item: Json) => item[key] === expectedId(fixture)),
  });

/** Builds a request like `wholeList` for a paged list of at most 1,000 items. */
const pagedList = (
  path: (fixture: PermissionFixture) => string,
  expectedId: (fixture: PermissionFixture) => number,
  key = 'id',
): RequestBuilder =>
  wholeList((fixture) => `${path(fixture)}${path(fixture).includes('?') ? '&' : '?'}pageSize=1000`, expectedId, key);

/** Returns a filter by a value, for lists to which other tests add items. */
const filterBy = (field: string, value: number): string => {
  const conditions = [{ field, operator: 'equals', value }];
  return `filter=${encodeURIComponent(JSON.stringify({ logic: 'AND', conditions }))}`;
};
const byCrosswalk = ({ crosswalkId }: PermissionFixture): string => filterBy('parentId', crosswalkId);

/** Returns a bulk request about rows. `change` is added to each row of the body. */
const bulkRequest = (path: string, rows: readonly Row[], change: object = {}): PreparedRequest => ({
  path,
  body: { rows: rows.map(({ id, revision }) => ({ id, revision, ...change })), comment: 'Because' },
  shows: (body) => body.done > 0,
});

/** Returns the request with a check of the level alone: a refusal because of the state of a row counts as success. */
const withLevelCheck = (request: PreparedRequest): PreparedRequest => ({
  ...request,
  shows: ({ results }) => results.every(({ code }: Json) => !['NOT_FOUND', 'LEVEL'].includes(code)),
});

const crosswalk = ({ crosswalkId }: PermissionFixture) => `/api/crosswalks/${crosswalkId}`;
const mappings = (fixture: PermissionFixture) => `${crosswalk(fixture)}/mappings`;
const relationship = ({ relationshipId }: PermissionFixture) => `/api/relationships/${relationshipId}`;
const values = (fixture: PermissionFixture) => `${relationship(fixture)}/values`;
const dataSet = ({ sourceId }: PermissionFixture) => `/api/reference-data/${sourceId}`;
const instances = (fixture: PermissionFixture) => `${dataSet(fixture)}/instances`;
const collection = ({ collectionId }: PermissionFixture) => `/api/collections/${collectionId}`;
const type = ({ typeId }: PermissionFixture) => `/api/reference-types/${typeId}`;

/** Creates a missing mapping and waits for its projection, because commands find missing mappings in the read model. */
async function createMissingMapping({ author, crosswalkId }: PermissionFixture): Promise<number> {
  const { id } = done(await author.post('/api/missing-mappings', { crosswalkId, sourceValue: uniqueName('missing') }));
  done(await author.get(`/api/missing-mappings?crosswalkId=${crosswalkId}`));
  return id;
}

async function createDraft({ author, crosswalkId }: PermissionFixture): Promise<Row> {
  return (await draft(author, crosswalkId, [[uniqueName('value'), 'x']]))[0] as Row;
}

/** Applies an action to a mapping; returns its id and new revision. */
async function changeRow(
  fixture: PermissionFixture,
  row: Row,
  method: 'post' | 'delete' | 'patch',
  verb: string,
  change: object = {},
) {
  const body = { rows: [{ ...row, ...change }], comment: 'Because' };
  return rowsOf(done(await fixture.author[method](`${mappings(fixture)}${verb}`, body)))[0] as Row;
}

/** Creates a mapping and submits it as the caller, or as the author if the caller may not create mappings. */
async function createMappingSubmittedBy(fixture: PermissionFixture, caller: Caller): Promise<Row> {
  const post = async (path: string, body: unknown) =>
    sendAs(fixture.baseUrl, caller, { method: 'POST', path: `${mappings(fixture)}${path}`, body });
  const drafted = await post('', { rows: [{ sourceValue: uniqueName('value'), targetValue: 'x' }] });
  if (drafted.status !== 201) return createSubmittedMapping(fixture.author, fixture.crosswalkId);
  return rowsOf(done(await post('/submit', { rows: rowsOf(drafted.body) })))[0] as Row;
}

const newMappingBody = () => ({ rows: [{ sourceValue: uniqueName('value'), targetValue: 'x' }] });
const undoRequest = (commandId: string): PreparedRequest => ({
  path: `/api/batches/${commandId}/undo`,
  body: {},
  shows: (body) => body.done > 0,
});

async function createRow(fixture: PermissionFixture, code = uniqueName('row')): Promise<Row> {
  const { id, revision } = done(await fixture.author.post(instances(fixture), { rows: [{ data: { code } }] }));
  return { id, revision };
}

/** Creates a row of the source that no value uses. Returns its key and the key of a row of the target. */
async function newPair(fixture: PermissionFixture): Promise<{ sourceKey: string; targetKey: string }> {
  const sourceKey = uniqueName('row');
  await createRow(fixture, sourceKey);
  return { sourceKey, targetKey: 'A' };
}

/** Creates a value as the author. If requested, submits it as the author and approves it as the administrator. */
async function createValue(fixture: PermissionFixture, ...verbs: ('submit' | 'approve')[]): Promise<Row> {
  const { author, admin } = fixture;
  let rows = rowsOf(done(await author.post(values(fixture), { rows: [await newPair(fixture)] })));
  for (const verb of verbs) {
    rows = rowsOf(done(await (verb === 'submit' ? author : admin).post(`${values(fixture)}/${verb}`, { rows })));
  }
  return rows[0] as Row;
}

/** Creates a value and submits it as the caller, or as the author if the caller may not create values. */
async function createValueSubmittedBy(fixture: PermissionFixture, caller: Caller): Promise<Row> {
  const post = async (path: string, body: unknown) =>
    sendAs(fixture.baseUrl, caller, { method: 'POST', path: `${values(fixture)}${path}`, body });
  const drafted = await post('', { rows: [await newPair(fixture)] });
  if (drafted.status !== 201) return createValue(fixture, 'submit');
  return rowsOf(done(await post('/submit', { rows: rowsOf(drafted.body) })))[0] as Row;
}

/**
 * Creates a relationship for one request about attributes; returns the path of its attributes. The requests do not
 * share a relationship, because its number of attributes is limited.
 */
const createRelationshipForAttributes = async ({ author, sourceId, targetId }: PermissionFixture): Promise<string> => {
  const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
  return `/api/relationships/${id}/attributes`;
};

const newAttributeBody = () => ({ name: uniqueName('Attribute'), dataType: 'string' });

/** Returns a request about a new attribute of a new relationship. */
const requestAboutNewAttribute = async (fixture: PermissionFixture, body: object = {}): Promise<PreparedRequest> => {
  const path = await createRelationshipForAttributes(fixture);
  const { attributeId: id } = done(await fixture.author.post(path, newAttributeBody()));
  return { path, body: { id, ...body } };
};

/** Creates a relationship with an approved value, and requests the deletion of the relationship as the author. */
async function createRelationshipUnderDeletion({
  author,
  admin,
  sourceId,
  targetId,
}: PermissionFixture): Promise<string> {
  const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
  const path = `/api/relationships/${id}`;
  let rows = rowsOf(done(await author.post(`${path}/values`, { rows: [{ sourceKey: 'A', targetKey: 'A' }] })));
  rows = rowsOf(done(await author.post(`${path}/values/submit`, { rows })));
  done(await admin.post(`${path}/values/approve`, { rows }));
  done(await author.delete(path));
  return path;
}

// The next functions create a data set, a collection or a crosswalk of the author, with the grants of the fixture.
const createOwnDataSet = ({ author, typeId, collectionId }: PermissionFixture) =>
  newDataSet(author, typeId, collectionId);
const createOwnCollection = ({ author, callers }: PermissionFixture) =>
  createGrantedCollection(author, grantsOf(callers));
async function createOwnCrosswalk(fixture: PermissionFixture, ...verbs: ('submit' | 'approve')[]): Promise<string> {
  const id = await newCrosswalk(fixture.author, fixture.sourceId, fixture.targetId);
  for (const verb of verbs) {
    done(await (verb === 'submit' ? fixture.author : fixture.admin).post(`/api/crosswalks/${id}/${verb}`, {}));
  }
  return `/api/crosswalks/${id}`;
}

/** Creates an approved crosswalk that the author has changed after its approval. */
async function createChangedCrosswalk(fixture: PermissionFixture): Promise<string> {
  const path = await createOwnCrosswalk(fixture, 'submit', 'approve');
  done(await fixture.author.patch(path, { unmapped: { yields: 'SOURCE_VALUE' } }));
  return path;
}

/** Creates a crosswalk to a data set on which all callers with a level have only READ. */
async function createCrosswalkToOtherCollection({
  author,
  callers,
  typeId,
  sourceId,
}: PermissionFixture): Promise<number> {
  const grants = grantsOf(callers).map((grant) => ({ ...grant, permissionLevel: 'READ' }));
  return newCrosswalk(
    author,
    sourceId,
    await newDataSet(author, typeId, await createGrantedCollection(author, grants)),
  );
}

const validationRequest = (target: string): PreparedRequest => ({
  path: `/api/validation-test?${target}`,
  body: [{ code: 'A' }],
  shows: ({ validRows }) => validRows === 1,
});

const impactRequest = (parentId: number, { id }: Row): PreparedRequest => ({
  path: '/api/approvals/impact',
  body: { items: [{ kind: 'mapping', parentId, id }] },
  shows: ({ weighed }) => weighed > 0,
});

/** Creates a crosswalk that the author has deleted while it was a draft. */
async function createDeletedCrosswalk(fixture: PermissionFixture): Promise<string> {
  const path = await createOwnCrosswalk(fixture);
  done(await fixture.author.delete(path));
  return path;
}
async function createDeletedRelationship({ author, sourceId, targetId }: PermissionFixture): Promise<string> {
  const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
  done(await author.delete(`/api/relationships/${id}`));
  return `/api/relationships/${id}`;
}

/** Creates a crosswalk as the author. Submits it as the caller, or as the author if the caller may not submit it. */
async function createCrosswalkSubmittedBy(fixture: PermissionFixture, caller: Caller): Promise<string> {
  const path = await createOwnCrosswalk(fixture);
  const { status } = await sendAs(fixture.baseUrl, caller, { method: 'POST', path: `${path}/submit`, body: {} });
  if (status !== 200) done(await fixture.author.post(`${path}/submit`));
  return path;
}

/** Returns a bulk request about the definition at a path, with its current revision. */
async function requestForDefinition(
  { author, admin }: PermissionFixture,
  path: string,
  verb?: string,
): Promise<PreparedRequest> {
  const list = path.slice(0, path.lastIndexOf('/'));
  const id = Number(path.slice(path.lastIndexOf('/') + 1));
  // Read twice and take the newer revision, because a read can miss a write of `sendAs`.
  const answers = [await author.get(path), await admin.get(path)].filter(({ status }) => status === 200);
  if (answers.length === 0) {
    // A deleted definition is in the list of deleted items.
    const { items } = done(await author.get(`${list}?deleted=true&sort=id&order=DESC&pageSize=1000`));
    answers.push({ body: items.find((each: Json) => each.id === id) } as Answer);
  }
  const revision = Math.max(...answers.map(({ body }) => body.revision));
  return bulkRequest(verb === undefined ? list : `${list}/${verb}`, [{ id, revision }]);
}

/**
 * Uploads a file as the author and changes its owner to the caller, because callers without WRITE cannot upload files.
 */
const stageCsv = (fixture: PermissionFixture, caller: Caller): Promise<string> =>
  stageFor(fixture, caller, csvForm(fixture.sourceId));

async function stageFor({ author, pool }: PermissionFixture, caller: Caller, form: FormData): Promise<string> {
  const { id } = done(await author.post('/api/imports', form));
  await pool.query('UPDATE command.staged_files SET owner_id = $2 WHERE id = $1', [id, caller.ownerId]);
  return id;
}

/** The profile that the product stores for a draft whose file has one column. */
const PROFILE = {
  ...{ format: 'text', read: { encoding: 'utf-8', delimiter: ',', headerRow: 1 }, sheets: [], records: 1, notes: [] },
  columns: [
    {
      ...{
        index: 0,
        name: 'code',
        records: 1,
        empty: 0,
        isDistinct: true,
        distinct: 1,
        samples: ['A'],
        codeLength: null,
      },
      ...{ dataType: 'string', format: { blank: 'empty' }, reason: 'All values are strings.', misfits: 0 },
    },
  ],
  ...{ key: [0], label: 0, questions: [], preview: [] },
};

/** Creates an import draft of the caller, in the state after the product has read its file. */
async function stageDraft({ author, pool }: PermissionFixture, caller: Caller, target?: object): Promise<string> {
  // Repeat the upload, because it is refused while three files of the user are being read.
  const { id } = await vi.waitFor(
    async () => {
      const form = new FormData();
      form.set('file', new File(['code\nA\n'], `${uniqueName('codes')}.csv`));
      return done(await author.post('/api/imports', form));
    },
    { timeout: 60_000 },
  );
  await pool.query('UPDATE command.staged_files SET owner_id = $2 WHERE id = $1', [id, caller.ownerId]);
  await pool.query(
    `UPDATE command.import_drafts SET owner_id = $2, state = 'READY', profile = $3, settings = $4, leased_by = NULL
      WHERE id = $1`,
    [id, caller.ownerId, JSON.stringify(PROFILE), JSON.stringify(target ? { target } : {})],
  );
  return id;
}

const draftRequest =
  (path: string, body?: Json) =>
  async (fixture: PermissionFixture, caller: Caller): Promise<{ path: string; body?: Json }> => ({
    path: `/api/imports/${await stageDraft(fixture, caller)}${path}`,
    ...(body === undefined ? {} : { body }),
  });

const stageMappings = (fixture: PermissionFixture, caller: Caller): Promise<string> =>
  stageFor(fixture, caller, rowsForm({ crosswalkId: fixture.crosswalkId }, 'sourceValue,targetValue\nA,A\n'));

const stageValues = (fixture: PermissionFixture, caller: Caller): Promise<string> =>
  stageFor(fixture, caller, rowsForm({ relationshipId: fixture.relationshipId }, 'sourceKey,targetKey\nA,B\n'));

const UNUSED_FILTER_ID = 999_999_999;

/**
 * Returns the id of a new filter of the caller, or of the shared filter if the caller may not store filters. The user
 * who must change the password gets an unused id: the route must refuse before the handler answers 404.
 */
async function createOwnFilter(
  { baseUrl, sourceId, sharedFilterId }: PermissionFixture,
  caller: Caller,
): Promise<number> {
  const body = savedFilterBody(sourceId);
  const { status, body: answer } = await sendAs(baseUrl, caller, { method: 'POST', path: '/api/saved-filters', body });
  if (status === 201) return answer.id;
  return caller.name === 'flagged' ? UNUSED_FILTER_ID : sharedFilterId;
}

const onSpareUser = (verb: string): RequestBuilder => withBody(({ spareId }) => `/api/users/${spareId}/${verb}`);

const newDataSetBody = ({ typeId }: PermissionFixture) => ({ name: uniqueName('Data set'), typeId });
const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
const relationshipBody = (sourceDataSetId: number, targetDataSetId: number) => ({
  name: uniqueName('Relationship'),
  sourceDataSetId,
  targetDataSetId,
  sourceField: 'code',
  targetField: 'code',
});
const crosswalkBody = (sourceSystemId: number, targetSystemId: number) => ({
  name: uniqueName('Crosswalk'),
  sourceSystemId,
  targetSystemId,
  sourceAttribute: 'code',
  targetAttribute: 'code',
});

/**
 * The request builders by the name of their row in the table. The text after # distinguishes rows of one route.
 * `requestBuilderOf` builds the request of a simple read from its path.
 */
export const REQUESTS: Readonly<Record<string, RequestBuilder>> = {
  // Sign-in and the account of the caller.
  'POST /api/login': withBody(
    () => '/api/login',
    ({ authorName }) => ({ username: authorName, password: PASSWORD }),
  ),
  'POST /api/register': () => ({
    path: '/api/register',
    body: {
      email: `${uniqueName('matrix').replace(' ', '-')}@example.com`,
      password: PASSWORD,
      confirmPassword: PASSWORD,
    },
  }),
  'POST /api/logout': async (fixture, caller) => ({
    path: '/api/logout',
    body: {},
    ...(caller.signIn ? { cookie: await newSession(fixture, caller) } : {}),
  }),
  'POST /api/session/heartbeat': withBody(() => '/api/session/heartbeat'),
  'POST /api/change-password': ({ pool }, caller) => {
    const newPassword = `${uniqueName('Matrix')}-1`;
    return {
      path: '/api/change-password',
      body: { currentPassword: caller.signIn?.password ?? PASSWORD, newPassword },
      after: async ({ status }) => {
        if (status === 200 && caller.signIn) caller.signIn.password = newPassword;
        await pool.query('UPDATE identity.users SET require_password_change = $2 WHERE id = $1', [
          caller.ownerId,
          caller.name === 'flagged',
        ]);
      },
    };
  },
  'POST /api/reset-password/request': withBody(
    () => '/api/reset-password/request',
    () => ({ email: 'nobody-of-this-house@example.com' }),
  ),
  'POST /api/reset-password': withBody(
    () => '/api/reset-password',
    () => ({ token: 'no-such-token', password: PASSWORD, confirmPassword: PASSWORD }),
  ),
  'POST /api/okta-login': withBody(
    () => '/api/okta-login',
    () => ({ id_token: 'not.a.token' }),
  ),

  // Users, roles, groups and keys.
  'GET /api/users': pagedList(
    () => '/api/users?sort=id&order=DESC',
    ({ spareId }) => spareId,
  ),
  'GET /api/users/:id': at(({ spareId }) => `/api/users/${spareId}`),
  'GET /api/users/:id/erasure-report': at(({ spareId }) => `/api/users/${spareId}/erasure-report`),
  'GET /api/users/names': at(({ spareId }) => `/api/users/names?ids=${spareId}`),
  'GET /api/users/directory': at(() => '/api/users/directory?q=steward'),
  'POST /api/users': withBody(
    () => '/api/users',
    () => {
      const username = uniqueName('matrix').replace(' ', '-');
      return { username, email: `${username}@example.com`, password: PASSWORD, roleId: 4 };
    },
  ),
  'PATCH /api/users/:id': withBody(
    ({ spareId }) => `/api/users/${spareId}`,
    () => ({ department: uniqueName('Department') }),
  ),
  'POST /api/users/:id/deactivate': onSpareUser('deactivate'),
  'POST /api/users/:id/reactivate': onSpareUser('reactivate'),
  'POST /api/users/:id/unlock': onSpareUser('unlock'),
  'POST /api/users/:id/require-password-change': onSpareUser('require-password-change'),
  'POST /api/users/:id/end-sessions': onSpareUser('end-sessions'),
  'POST /api/users/:id/release-email': onSpareUser('release-email'),
  'POST /api/users/:id/erase': async ({ admin }) => ({
    path: `/api/users/${(await newUser(admin, 4)).id}/erase`,
    body: {},
  }),
  'GET /api/roles': pagedList(
    () => '/api/roles?sort=id&order=DESC',
    ({ spareRoleId }) => spareRoleId,
  ),
  'POST /api/roles': withBody(
    () => '/api/roles',
    () => ({ name: uniqueName('Role') }),
  ),
  'PATCH /api/roles/:id': withBody(
    ({ spareRoleId }) => `/api/roles/${spareRoleId}`,
    () => ({ description: uniqueName('Words') }),
  ),
  'DELETE /api/roles/:id': async ({ admin }) => ({ path: `/api/roles/${await newRole(admin, 'Spare', [], [])}` }),
  'GET /api/groups': pagedList(
    () => '/api/groups?sort=id&order=DESC',
    ({ spareGroupId }) => spareGroupId,
  ),
  'GET /api/groups/:id/members': at(({ spareGroupId }) => `/api/groups/${spareGroupId}/members`),
  'POST /api/groups': withBody(
    () => '/api/groups',
    () => ({ name: uniqueName('Group') }),
  ),
  'PATCH /api/groups/:id': withBody(
    ({ spareGroupId }) => `/api/groups/${spareGroupId}`,
    () => ({ description: uniqueName('Words') }),
  ),
  'DELETE /api/groups/:id': async ({ admin }) => ({
    path: `/api/groups/${done(await admin.post('/api/groups', { name: uniqueName('Group') })).id}`,
  }),
  'PUT /api/groups/:id/members': withBody(
    ({ spareGroupId }) => `/api/groups/${spareGroupId}/members`,
    ({ spareId }) => ({ userIds: [spareId] }),
  ),
  'GET /api/api-keys': pagedList(
    () => '/api/api-keys?sort=id&order=DESC',
    ({ spareKeyId }) => spareKeyId,
  ),
  'GET /api/api-keys/:id/usage': at(({ spareKeyId }) => `/api/api-keys/${spareKeyId}/usage`),
  'POST /api/api-keys': withBody(
    () => '/api/api-keys',
    ({ collectionId }) => ({ name: uniqueName('Key'), scopes: [{ collectionId, scope: 'read' }] }),
  ),
  'POST /api/api-keys/:id/rotate': withBody(({ spareKeyId }) => `/api/api-keys/${spareKeyId}/rotate`),
  'POST /api/api-keys/:id/revoke': async ({ admin, collectionId }) => {
    const body = { name: uniqueName('Key'), scopes: [{ collectionId, scope: 'read' }] };
    return { path: `/api/api-keys/${done(await admin.post('/api/api-keys', body)).id}/revoke`, body: {} };
  },

  'GET /api/backups': wholeList(
    () => '/api/backups',
    ({ backupId }) => backupId,
  ),
  // Refused, because the request lacks the token that `POST /api/backups/:id/download` returns.
  'GET /api/backups/:id': at(({ backupId }) => `/api/backups/${backupId}`),
  'POST /api/backups': async ({ admin }) => {
    await admin.eventually('/api/backups', ({ body }) => !body.items.some(({ status }: Json) => status === 'RUNNING'));
    return { path: '/api/backups', body: {} };
  },
  'PUT /api/backups/schedule': withBody(
    () => '/api/backups/schedule',
    () => ({ enabled: false, every: 'DAY', at: '02:00', zone: 'UTC', keep: { daily: 7, weekly: 4, monthly: 12 } }),
  ),
  // Refused even if the caller may upload backups, because the body is not a backup.
  'POST /api/backups/upload': withBody(
    () => '/api/backups/upload',
    () => ({}),
  ),
  'POST /api/backups/:id/verify': withBody(({ backupId }) => `/api/backups/${backupId}/verify`),
  'PATCH /api/backups/:id': withBody(
    ({ backupId }) => `/api/backups/${backupId}`,
    () => ({ pinned: true }),
  ),
  'POST /api/backups/:id/download': ({ backupId }, { signIn }) => ({
    path: `/api/backups/${backupId}/download`,
    body: { password: signIn?.password ?? PASSWORD },
  }),
  'GET /api/backups/:id/restore-preview': at(({ backupId }) => `/api/backups/${backupId}/restore-preview`),
  // The body names another file, so that nothing is restored.
  'POST /api/backups/:id/restore': ({ backupId }, { signIn }) => ({
    path: `/api/backups/${backupId}/restore`,
    body: { name: 'another', password: signIn?.password ?? PASSWORD },
  }),
  // Each caller gets a new backup, so that no caller deletes the backup of the fixture.
  'DELETE /api/backups/:id': async ({ admin }) => ({ path: `/api/backups/${await newBackup(admin)}` }),

  'GET /api/purges': wholeList(
    () => '/api/purges',
    ({ purgeId }) => purgeId,
  ),
  'GET /api/purges/:id': at(({ purgeId }) => `/api/purges/${purgeId}`),
  'POST /api/purges': withBody(() => '/api/purges', newPurgeBody),
  // The fixture's purge has an empty plan, so the purge cannot be requested and the next steps are refused.
  'POST /api/purges/:id/request': withBody(
    ({ purgeId }) => `/api/purges/${purgeId}/request`,
    () => ({ phrase: 'purge 0 data sets', reason: 'none' }),
  ),
  'POST /api/purges/:id/confirm': withBody(({ purgeId }) => `/api/purges/${purgeId}/confirm`),
  'POST /api/purges/:id/decline': withBody(
    ({ purgeId }) => `/api/purges/${purgeId}/decline`,
    () => ({ reason: 'none' }),
  ),
  'POST /api/purges/:id/cancel': async (fixture) => ({
    path: `/api/purges/${await newPurge(fixture)}/cancel`,
    body: {},
  }),
  'POST /api/purges/:id/resume': withBody(({ purgeId }) => `/api/purges/${purgeId}/resume`),
  'POST /api/purges/:id/reclaim': withBody(({ purgeId }) => `/api/purges/${purgeId}/reclaim`),
  'GET /api/legal-holds': wholeList(
    () => '/api/legal-holds',
    ({ holdId }) => holdId,
  ),
  'POST /api/legal-holds': withBody(() => '/api/legal-holds', newHoldBody),
  'POST /api/legal-holds/:id/release': async (fixture) => ({
    path: `/api/legal-holds/${await newHold(fixture)}/release`,
    body: { reason: 'none' },
  }),

  // Reference types.
  'GET /api/reference-types': wholeList(
    () => '/api/reference-types',
    ({ typeId }) => typeId,
  ),
  // Only users who may read a data set get events that name it.
  'GET /api/reference-types/:id/events': (fixture) => ({
    path: `${type(fixture)}/events`,
    shows: ({ items }) => items.some(({ data }: Json) => data.dataSetId === fixture.sourceId),
  }),
  'GET /api/reference-types/:id/dependencies': (fixture) => ({
    path: `${type(fixture)}/dependencies`,
    shows: ({ datasets }) => datasets.some(({ id }: Json) => id === fixture.sourceId),
  }),
  'POST /api/reference-types/:id/schema-preview': (fixture) => ({
    path: `${type(fixture)}/schema-preview`,
    body: { schemas },
    shows: ({ datasets, others }) => datasets.length + others.untouched > 0,
  }),
  'POST /api/reference-types': withBody(
    () => '/api/reference-types',
    () => ({ name: uniqueName('Type'), schemas }),
  ),
  'PATCH /api/reference-types/:id': withBody(type, () => ({ description: uniqueName('Words') })),
  'PUT /api/reference-types/:id/schemas': async ({ author }) => ({
    path: `/api/reference-types/${await newType(author)}/schemas`,
    body: { schemas: [...schemas, { name: 'more', dataType: 'string' }] },
  }),
  'DELETE /api/reference-types/:id': async ({ author }) => ({ path: `/api/reference-types/${await newType(author)}` }),

  // Data sets and their instances.
  'GET /api/reference-data': pagedList(
    () => '/api/reference-data?sort=id&order=DESC',
    ({ sourceId }) => sourceId,
  ),
  'GET /api/reference-data/:id#foreign': at(({ foreignId }) => `/api/reference-data/${foreignId}`),
  'POST /api/graph/rebuild': withBody(() => '/api/graph/rebuild'),
  'POST /api/reference-data/:id/schema-preview': withBody(
    (fixture) => `${dataSet(fixture)}/schema-preview`,
    () => ({ schemas }),
  ),
  'GET /api/integrity': ({ sourceId }) => ({
    path: `/api/integrity?ids=${sourceId}`,
    shows: ({ items }) => items.some(({ id }: Json) => id === sourceId),
  }),
  'GET /api/reference-data/:id/dependencies': (fixture) => ({
    path: `${dataSet(fixture)}/dependencies`,
    shows: ({ crosswalkMappings }) => crosswalkMappings.some(({ id }: Json) => id === fixture.crosswalkId),
  }),
  'GET /api/reference-data/:id/instances/:instanceId': at((fixture) => `${instances(fixture)}/${fixture.instance.id}`),
  'GET /api/reference-data/:id/instances/:instanceId/history': at(
    (fixture) => `${instances(fixture)}/${fixture.instance.id}/history`,
  ),
  'GET /api/reference-data/:id/instances/:instanceId/references': (fixture) => ({
    path: `${instances(fixture)}/${fixture.instance.id}/references`,
    shows: ({ mappings }) => mappings.some(({ id }: Json) => id === fixture.served.id),
  }),
  'POST /api/reference-data': withBody(() => '/api/reference-data', newDataSetBody),
  'POST /api/reference-data#into': withBody(
    () => '/api/reference-data',
    (fixture) => ({ ...newDataSetBody(fixture), collectionId: fixture.promotedId }),
  ),
  'PATCH /api/reference-data/:id': withBody(dataSet, () => ({ description: uniqueName('Words') })),
  'DELETE /api/reference-data/:id': async (fixture) => ({
    path: `/api/reference-data/${await createOwnDataSet(fixture)}`,
  }),
  'POST /api/reference-data/:id/instances': withBody(instances, () => ({ data: { code: uniqueName('row') } })),
  'PATCH /api/reference-data/:id/instances': async (fixture) => {
    const { id, revision } = await createRow(fixture);
    return {
      path: instances(fixture),
      body: [{ id, revision, data: { name: uniqueName('Name') } }],
      shows: (body) => body.done > 0,
    };
  },
  'DELETE /api/reference-data/:id/instances': async (fixture) =>
    bulkRequest(instances(fixture), [await createRow(fixture)]),
  'POST /api/reference-data/:id/instances/restore': async (fixture) => {
    const row = await createRow(fixture);
    const removed = rowsOf(done(await fixture.author.delete(instances(fixture), { rows: [row] })));
    return bulkRequest(`${instances(fixture)}/restore`, removed);
  },
  'POST /api/reference-data/:id/instances/deletion-impact': async (fixture) => ({
    path: `${instances(fixture)}/deletion-impact`,
    body: { rows: [await createRow(fixture)] },
    shows: ({ rowCount, referencedCount }) => rowCount === 1 && referencedCount === 0,
  }),
  'POST /api/reference-data/:id/instances/paste-preview': (fixture) => ({
    path: `${instances(fixture)}/paste-preview`,
    body: { fields: ['code', 'name'], rows: [{ cells: ['A', uniqueName('Name')] }] },
    shows: ({ results }) => results[0].id === fixture.instance.id,
  }),

  // Relationships.
  'GET /api/relationships': pagedList(
    () => '/api/relationships?sort=id&order=DESC',
    ({ relationshipId }) => relationshipId,
  ),
  'POST /api/relationships': withBody(
    () => '/api/relationships',
    ({ sourceId, targetId }) => relationshipBody(sourceId, targetId),
  ),
  'POST /api/relationships#foreign': withBody(
    () => '/api/relationships',
    ({ sourceId, foreignId }) => relationshipBody(sourceId, foreignId),
  ),
  'DELETE /api/relationships/:id': async ({ author, sourceId, targetId }) => {
    const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
    return { path: `/api/relationships/${id}` };
  },

  'PATCH /api/relationships/:id': withBody(relationship, () => ({ relationshipType: uniqueName('Words') })),
  'POST /api/relationships/:id/recall': async (fixture) => ({
    path: `${await createRelationshipUnderDeletion(fixture)}/recall`,
    body: {},
  }),
  'POST /api/relationships/:id/approve': async (fixture) => ({
    path: `${await createRelationshipUnderDeletion(fixture)}/approve`,
    body: {},
  }),
  'POST /api/relationships/:id/reject': async (fixture) => ({
    path: `${await createRelationshipUnderDeletion(fixture)}/reject`,
    body: { comment: 'Because' },
  }),
  'POST /api/relationships/:id/restore': async (fixture) => ({
    path: `${await createDeletedRelationship(fixture)}/restore`,
    body: {},
  }),
  'DELETE /api/relationships': async (fixture) => {
    const { author, sourceId, targetId } = fixture;
    const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
    return requestForDefinition(fixture, `/api/relationships/${id}`);
  },
  'POST /api/relationships/recall': async (fixture) =>
    requestForDefinition(fixture, await createRelationshipUnderDeletion(fixture), 'recall'),
  'POST /api/relationships/recall#level': async (fixture) =>
    withLevelCheck(await requestForDefinition(fixture, await createRelationshipUnderDeletion(fixture), 'recall')),
  'POST /api/relationships/approve': async (fixture) =>
    requestForDefinition(fixture, await createRelationshipUnderDeletion(fixture), 'approve'),
  'POST /api/relationships/reject': async (fixture) =>
    requestForDefinition(fixture, await createRelationshipUnderDeletion(fixture), 'reject'),
  'POST /api/relationships/restore': async (fixture) =>
    requestForDefinition(fixture, await createDeletedRelationship(fixture), 'restore'),
  'POST /api/relationships/:id/attributes': async (fixture) => ({
    path: await createRelationshipForAttributes(fixture),
    body: newAttributeBody(),
  }),
  'POST /api/relationships/:id/copy': withBody(
    (fixture) => `${relationship(fixture)}/copy`,
    () => ({ name: uniqueName('Copy') }),
  ),
  'PATCH /api/relationships/:id/attributes': (fixture) => requestAboutNewAttribute(fixture, { description: 'Words' }),
  'DELETE /api/relationships/:id/attributes': (fixture) => requestAboutNewAttribute(fixture),

  // Relationship values.
  'GET /api/relationships/values': pagedList(
    ({ related }) => `/api/relationships/values?${filterBy('id', related.id)}`,
    ({ related }) => related.id,
  ),
  'GET /api/relationships/values/counts': () => ({
    path: '/api/relationships/values/counts',
    shows: ({ draft }) => draft > 0,
  }),
  'GET /api/relationships/:id/values/:valueId/history': at(
    (fixture) => `${values(fixture)}/${fixture.related.id}/history`,
  ),
  'GET /api/reference-data/:id/instances/:instanceId/relationships': at(
    (fixture) => `${instances(fixture)}/${fixture.instance.id}/relationships`,
  ),
  'POST /api/relationships/:id/values': async (fixture) => ({ path: values(fixture), body: await newPair(fixture) }),
  'POST /api/relationships/:id/values/import-preview': async (fixture, caller) => ({
    path: `${values(fixture)}/import-preview`,
    body: { fileId: await stageValues(fixture, caller) },
    shows: ({ rows: [row] }) => row.outcome === 'unchanged',
  }),
  'POST /api/relationships/:id/values/import': async (fixture, caller) => ({
    path: `${values(fixture)}/import`,
    body: { fileId: await stageValues(fixture, caller) },
  }),
  'PATCH /api/relationships/:id/values': async (fixture) =>
    bulkRequest(values(fixture), [await createValue(fixture)], { attributes: { note: 'x' } }),
  'DELETE /api/relationships/:id/values': async (fixture) => bulkRequest(values(fixture), [await createValue(fixture)]),
  'POST /api/relationships/:id/values/submit': async (fixture) =>
    bulkRequest(`${values(fixture)}/submit`, [await createValue(fixture)]),
  'POST /api/relationships/:id/values/recall': async (fixture) =>
    bulkRequest(`${values(fixture)}/recall`, [await createValue(fixture, 'submit')]),
  'POST /api/relationships/:id/values/approve': async (fixture) =>
    bulkRequest(`${values(fixture)}/approve`, [await createValue(fixture, 'submit')]),
  'POST /api/relationships/:id/values/approve#own': async (fixture, caller) =>
    bulkRequest(`${values(fixture)}/approve`, [await createValueSubmittedBy(fixture, caller)]),
  'POST /api/relationships/:id/values/reject': async (fixture) =>
    bulkRequest(`${values(fixture)}/reject`, [await createValue(fixture, 'submit')]),
  'POST /api/relationships/:id/values/revoke': async (fixture) =>
    bulkRequest(`${values(fixture)}/revoke`, [await createValue(fixture, 'submit', 'approve')]),
  'POST /api/relationships/:id/values/discard': async (fixture) => {
    const served = await createValue(fixture, 'submit', 'approve');
    const edit = { rows: [{ ...served, attributes: { note: 'x' } }] };
    return bulkRequest(`${values(fixture)}/discard`, rowsOf(done(await fixture.author.patch(values(fixture), edit))));
  },
  'POST /api/relationships/:id/values/restore': async (fixture) => {
    const deletedRows = rowsOf(
      done(await fixture.author.delete(values(fixture), { rows: [await createValue(fixture)] })),
    );
    return bulkRequest(`${values(fixture)}/restore`, deletedRows);
  },

  // Crosswalks.
  'GET /api/crosswalks': pagedList(
    ({ crosswalkId }) => `/api/crosswalks?${filterBy('id', crosswalkId)}`,
    ({ crosswalkId }) => crosswalkId,
  ),
  'GET /api/crosswalks/suggestions-preview': at(
    ({ sourceId, targetId }) =>
      `/api/crosswalks/suggestions-preview?sourceSystemId=${sourceId}&targetSystemId=${targetId}&sourceAttribute=code&targetAttribute=code`,
  ),
  'GET /api/crosswalk/comparison/:targetDatasetId': at(({ targetId }) => `/api/crosswalk/comparison/${targetId}`),
  'GET /api/crosswalk/comparison/:targetDatasetId/export': at(
    ({ targetId }) => `/api/crosswalk/comparison/${targetId}/export`,
  ),
  'GET /api/crosswalks/:id/translate': at((fixture) => `${crosswalk(fixture)}/translate?value=A`),
  'POST /api/crosswalks/:id/translate': withBody(
    (fixture) => `${crosswalk(fixture)}/translate`,
    () => ({ values: ['A'] }),
  ),
  'POST /api/crosswalks': withBody(
    () => '/api/crosswalks',
    ({ sourceId, targetId }) => crosswalkBody(sourceId, targetId),
  ),
  'POST /api/crosswalks#foreign': withBody(
    () => '/api/crosswalks',
    ({ sourceId, foreignId }) => crosswalkBody(sourceId, foreignId),
  ),
  'POST /api/crosswalks/:id/duplicate': withBody(
    (fixture) => `${crosswalk(fixture)}/duplicate`,
    () => ({ name: uniqueName('Crosswalk') }),
  ),
  'POST /api/crosswalks/:id/reverse': withBody(
    (fixture) => `${crosswalk(fixture)}/reverse`,
    () => ({ name: uniqueName('Crosswalk') }),
  ),
  'PATCH /api/crosswalks/:id': withBody(crosswalk, () => ({ description: uniqueName('Words') })),
  'DELETE /api/crosswalks/:id': async (fixture) => ({ path: await createOwnCrosswalk(fixture), body: {} }),
  'POST /api/crosswalks/:id/submit': async (fixture) => ({
    path: `${await createOwnCrosswalk(fixture)}/submit`,
    body: {},
  }),
  'POST /api/crosswalks/:id/recall': async (fixture) => ({
    path: `${await createOwnCrosswalk(fixture, 'submit')}/recall`,
    body: {},
  }),
  'POST /api/crosswalks/:id/approve': async (fixture) => ({
    path: `${await createOwnCrosswalk(fixture, 'submit')}/approve`,
    body: {},
  }),
  'POST /api/crosswalks/:id/reject': async (fixture) => ({
    path: `${await createOwnCrosswalk(fixture, 'submit')}/reject`,
    body: { comment: 'Because' },
  }),
  'POST /api/crosswalks/:id/revoke': async (fixture) => ({
    path: `${await createOwnCrosswalk(fixture, 'submit', 'approve')}/revoke`,
    body: { comment: 'Because' },
  }),
  'POST /api/crosswalks/:id/discard': async (fixture) => {
    const path = await createOwnCrosswalk(fixture, 'submit', 'approve');
    done(await fixture.author.patch(path, { unmapped: { yields: 'SOURCE_VALUE' } }));
    return { path: `${path}/discard`, body: {} };
  },
  'POST /api/crosswalks/:id/restore': async (fixture) => ({
    path: `${await createDeletedCrosswalk(fixture)}/restore`,
    body: {},
  }),

  // Bulk actions.
  'DELETE /api/crosswalks': async (fixture) => requestForDefinition(fixture, await createOwnCrosswalk(fixture)),
  'POST /api/crosswalks/submit': async (fixture) =>
    requestForDefinition(fixture, await createOwnCrosswalk(fixture), 'submit'),
  'POST /api/crosswalks/recall': async (fixture) =>
    requestForDefinition(fixture, await createOwnCrosswalk(fixture, 'submit'), 'recall'),
  'POST /api/crosswalks/recall#level': async (fixture) =>
    withLevelCheck(await requestForDefinition(fixture, await createOwnCrosswalk(fixture, 'submit'), 'recall')),
  'POST /api/crosswalks/approve': async (fixture) =>
    requestForDefinition(fixture, await createOwnCrosswalk(fixture, 'submit'), 'approve'),
  'POST /api/crosswalks/approve#own': async (fixture, caller) =>
    requestForDefinition(fixture, await createCrosswalkSubmittedBy(fixture, caller), 'approve'),
  'POST /api/crosswalks/reject': async (fixture) =>
    requestForDefinition(fixture, await createOwnCrosswalk(fixture, 'submit'), 'reject'),
  'POST /api/crosswalks/revoke': async (fixture) =>
    requestForDefinition(fixture, await createOwnCrosswalk(fixture, 'submit', 'approve'), 'revoke'),
  'POST /api/crosswalks/discard': async (fixture) =>
    requestForDefinition(fixture, await createChangedCrosswalk(fixture), 'discard'),
  'POST /api/crosswalks/discard#level': async (fixture) =>
    withLevelCheck(await requestForDefinition(fixture, await createChangedCrosswalk(fixture), 'discard')),
  'POST /api/crosswalks/restore': async (fixture) =>
    requestForDefinition(fixture, await createDeletedCrosswalk(fixture), 'restore'),

  // Mappings.
  'GET /api/crosswalks/:id/mappings/:valueId/history': at(
    (fixture) => `${mappings(fixture)}/${fixture.served.id}/history`,
  ),
  'POST /api/crosswalks/:id/mappings': withBody(mappings, () => ({
    sourceValue: uniqueName('value'),
    targetValue: 'x',
  })),
  'POST /api/crosswalks/:id/mappings/import-preview': async (fixture, caller) => ({
    path: `${mappings(fixture)}/import-preview`,
    body: { fileId: await stageMappings(fixture, caller) },
    shows: ({ rows: [row] }) => row.outcome === 'unchanged',
  }),
  'POST /api/crosswalks/:id/mappings/import': async (fixture, caller) => ({
    path: `${mappings(fixture)}/import`,
    body: { fileId: await stageMappings(fixture, caller) },
  }),
  'PATCH /api/crosswalks/:id/mappings': async (fixture) =>
    bulkRequest(mappings(fixture), [await createDraft(fixture)], { targetValue: 'y' }),
  'DELETE /api/crosswalks/:id/mappings': async (fixture) =>
    bulkRequest(mappings(fixture), [await createDraft(fixture)]),
  'POST /api/crosswalks/:id/suggestions/dismiss': (fixture) => ({
    path: `${crosswalk(fixture)}/suggestions/dismiss`,
    body: { rows: [{ sourceValue: uniqueName('value'), targetValue: 'x' }] },
    shows: ({ done }) => done > 0,
  }),
  'POST /api/crosswalks/:id/suggestions/restore': async (fixture) => {
    const rows = [{ sourceValue: uniqueName('value'), targetValue: 'x' }];
    const dismissed = done(await fixture.author.post(`${crosswalk(fixture)}/suggestions/dismiss`, { rows }));
    const ids = dismissed.results.map(({ id }: Json) => id);
    return { path: `${crosswalk(fixture)}/suggestions/restore`, body: { ids }, shows: ({ done }) => done > 0 };
  },
  'POST /api/crosswalks/:id/mappings/submit': async (fixture) =>
    bulkRequest(`${mappings(fixture)}/submit`, [await createDraft(fixture)]),
  'POST /api/crosswalks/:id/mappings/recall': async (fixture) =>
    bulkRequest(`${mappings(fixture)}/recall`, [await createSubmittedMapping(fixture.author, fixture.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/approve': async (fixture) =>
    bulkRequest(`${mappings(fixture)}/approve`, [await createSubmittedMapping(fixture.author, fixture.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/approve#own': async (fixture, caller) =>
    bulkRequest(`${mappings(fixture)}/approve`, [await createMappingSubmittedBy(fixture, caller)]),
  'POST /api/crosswalks/:id/mappings/reject': async (fixture) =>
    bulkRequest(`${mappings(fixture)}/reject`, [await createSubmittedMapping(fixture.author, fixture.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/revoke': async (fixture) =>
    bulkRequest(`${mappings(fixture)}/revoke`, [await createApprovedMapping(fixture, fixture.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/discard': async (fixture) => {
    const served = await createApprovedMapping(fixture, fixture.crosswalkId);
    return bulkRequest(`${mappings(fixture)}/discard`, [
      await changeRow(fixture, served, 'patch', '', { targetValue: 'z' }),
    ]);
  },
  'POST /api/crosswalks/:id/mappings/restore': async (fixture) => {
    const row = await createDraft(fixture);
    return bulkRequest(`${mappings(fixture)}/restore`, [await changeRow(fixture, row, 'delete', '')]);
  },
  'POST /api/approvals/decide': async (fixture) => {
    const { id, revision } = await createSubmittedMapping(fixture.author, fixture.crosswalkId);
    const items = [{ kind: 'mapping', id, revision, parentId: fixture.crosswalkId }];
    return {
      path: '/api/approvals/decide',
      body: { decision: 'approve', items },
      shows: (body) => body.done > 0,
    };
  },
  'GET /api/batches/:commandId': at(({ batchId }) => `/api/batches/${batchId}`),
  'POST /api/batches/:commandId/undo': async ({ author, crosswalkId }) => {
    const answer = await author.post(`/api/crosswalks/${crosswalkId}/mappings`, newMappingBody());
    return undoRequest(done(answer).commandId);
  },
  'POST /api/batches/:commandId/undo#own': async (fixture, caller) => {
    const request = { method: 'POST', path: mappings(fixture), body: newMappingBody() };
    const ownAnswer = await sendAs(fixture.baseUrl, caller, request);
    const answer = ownAnswer.status === 201 ? ownAnswer : await fixture.author.post(request.path, request.body);
    return undoRequest(done(answer).commandId);
  },
  'GET /api/approvals/approvers': at(({ crosswalkId }) => `/api/approvals/approvers?kind=crosswalk&id=${crosswalkId}`),
  'GET /api/approvals': pagedList(
    (fixture) => `/api/approvals?tab=review&${byCrosswalk(fixture)}`,
    ({ pending }) => pending.id,
  ),
  'GET /api/approvals#decided': pagedList(
    (fixture) => `/api/approvals?tab=decided&${byCrosswalk(fixture)}`,
    ({ served }) => served.id,
  ),
  'POST /api/approvals/impact': ({ crosswalkId, pending }) => impactRequest(crosswalkId, pending),
  'POST /api/approvals/impact#reading': async (fixture) => {
    const id = await createCrosswalkToOtherCollection(fixture);
    const submitted = await createSubmittedMapping(fixture.author, id);
    // Wait until the write of the author is projected, because reads of the callers do not wait for it.
    await fixture.author.eventually('/api/approvals?tab=submitted&pageSize=1000', ({ body }) =>
      body.items.some(({ parentId }: Json) => parentId === id),
    );
    return impactRequest(id, submitted);
  },
  'GET /api/approvals/statistics': () => ({
    path: '/api/approvals/statistics',
    shows: ({ decidedToday }) => decidedToday > 0,
  }),
  'GET /api/missing-mappings': pagedList(
    ({ crosswalkId }) => `/api/missing-mappings?crosswalkId=${crosswalkId}`,
    ({ missingId }) => missingId,
  ),
  'POST /api/missing-mappings': withBody(
    () => '/api/missing-mappings',
    ({ crosswalkId }) => ({ crosswalkId, sourceValue: uniqueName('missing') }),
  ),
  'POST /api/missing-mappings/ignore': async (fixture) => {
    const body = { ids: [await createMissingMapping(fixture)], comment: 'Because' };
    return { path: '/api/missing-mappings/ignore', body, shows: ({ done }) => done > 0 };
  },
  'POST /api/missing-mappings/reopen': async (fixture) => {
    const ids = [await createMissingMapping(fixture)];
    done(await fixture.author.post('/api/missing-mappings/ignore', { ids, comment: 'Because' }));
    return { path: '/api/missing-mappings/reopen', body: { ids }, shows: ({ done }) => done > 0 };
  },
  'POST /api/missing-mappings/:id/ignore': withBody(
    ({ ignorableId }) => `/api/missing-mappings/${ignorableId}/ignore`,
    () => ({ comment: 'Because' }),
  ),
  'POST /api/missing-mappings/:id/reopen': withBody(
    ({ ignorableId }) => `/api/missing-mappings/${ignorableId}/reopen`,
    () => ({}),
  ),
  'POST /api/missing-mappings/:id/map': withBody(
    ({ ignorableId }) => `/api/missing-mappings/${ignorableId}/map`,
    () => ({ targetValue: uniqueName('target') }),
  ),
  'POST /api/selections': withBody(
    () => '/api/selections',
    ({ sourceId }) => ({ kind: 'instances', parentId: sourceId }),
  ),
  // Saved filters and filter configurations.
  'GET /api/saved-filters': wholeList(
    () => '/api/saved-filters',
    ({ sharedFilterId }) => sharedFilterId,
  ),
  'POST /api/saved-filters': withBody(
    () => '/api/saved-filters',
    ({ sourceId }) => savedFilterBody(sourceId),
  ),
  'POST /api/saved-filters#audit': withBody(
    () => '/api/saved-filters',
    () => ({ name: uniqueName('Filter'), entity: 'audit', view: {} }),
  ),
  'PATCH /api/saved-filters/:id': async (fixture, caller) => ({
    path: `/api/saved-filters/${await createOwnFilter(fixture, caller)}`,
    body: { name: uniqueName('Filter') },
  }),
  'PATCH /api/saved-filters/:id#shared': withBody(
    ({ sharedFilterId }) => `/api/saved-filters/${sharedFilterId}`,
    () => ({ name: uniqueName('Filter') }),
  ),
  'DELETE /api/saved-filters/:id': async (fixture, caller) => ({
    path: `/api/saved-filters/${await createOwnFilter(fixture, caller)}`,
  }),
  'DELETE /api/saved-filters/:id#shared': async ({ author, sourceId }) => ({
    path: `/api/saved-filters/${await createSavedFilter(author, sourceId, true)}`,
  }),
  'PATCH /api/home': withBody(
    () => '/api/home',
    () => ({ visited: true }),
  ),
  'POST /api/notifications': withBody(
    () => '/api/notifications',
    () => ({ ids: ['1-0'], read: true }),
  ),
  'DELETE /api/notifications': withBody(
    () => '/api/notifications',
    () => ({ ids: ['1-0'] }),
  ),
  'GET /api/filter-configurations': wholeList(
    () => '/api/filter-configurations',
    ({ configurationId }) => configurationId,
  ),
  'POST /api/filter-configurations': async (fixture) => ({
    path: '/api/filter-configurations',
    body: configurationBody(await createOwnDataSet(fixture)),
  }),
  'PATCH /api/filter-configurations/:id': withBody(
    ({ configurationId }) => `/api/filter-configurations/${configurationId}`,
    () => ({ description: uniqueName('Described') }),
  ),
  'PATCH /api/filter-configurations/:id#foreign': async ({ admin, typeId }) => {
    const { id } = done(await admin.post('/api/reference-data', { name: uniqueName('Foreign'), typeId }));
    return { path: `/api/filter-configurations/${await createConfiguration(admin, id)}`, body: { description: 'x' } };
  },
  'DELETE /api/filter-configurations/:id': async (fixture) => ({
    path: `/api/filter-configurations/${await createConfiguration(fixture.admin, await createOwnDataSet(fixture))}`,
  }),
  'POST /api/filter-test': withBody(
    () => '/api/filter-test',
    ({ sourceId }) => ({ entity: `data-set:${sourceId}` }),
  ),

  'POST /internal/missing-mapping-requests': withBody(
    () => '/internal/missing-mapping-requests',
    ({ crosswalkId, authorId }) => ({ crosswalkId, userId: authorId, values: ['Z'] }),
  ),

  // Collections.
  'GET /api/collections': pagedList(
    () => '/api/collections?sort=id&order=DESC',
    ({ collectionId }) => collectionId,
  ),
  'GET /api/collections/:id/items': pagedList(
    (fixture) => `${collection(fixture)}/items`,
    ({ sourceId }) => sourceId,
  ),
  'GET /api/collections/:id/effective-access': at(
    (fixture) => `${collection(fixture)}/effective-access?userId=${fixture.authorId}`,
  ),
  'POST /api/collections': withBody(
    () => '/api/collections',
    () => ({ name: uniqueName('Collection') }),
  ),
  'PATCH /api/collections/:id': withBody(collection, () => ({ description: uniqueName('Words') })),
  'DELETE /api/collections/:id': async (fixture) => ({
    path: `/api/collections/${await createOwnCollection(fixture)}`,
  }),
  'POST /api/collections/:id/items': async (fixture) => ({
    path: `/api/collections/${fixture.otherCollectionId}/items`,
    body: { dataSetIds: [await createOwnDataSet(fixture)] },
  }),
  'POST /api/collections/:id/items#foreign': async (fixture) => ({
    path: `${collection(fixture)}/items`,
    body: { dataSetIds: [done(await fixture.admin.post('/api/reference-data', newDataSetBody(fixture))).id] },
  }),
  'DELETE /api/collections/:id/items': async (fixture) => ({
    path: `${collection(fixture)}/items`,
    body: { dataSetIds: [await createOwnDataSet(fixture)] },
  }),
  'PUT /api/collections/:id/permissions': withBody(
    (fixture) => `${collection(fixture)}/permissions`,
    ({ callers }) => ({ permissions: grantsOf(callers) }),
  ),

  // Imports and jobs.
  'POST /api/imports': ({ sourceId }) => ({ path: '/api/imports', form: csvForm(sourceId) }),
  'POST /api/imports#mappings': ({ crosswalkId }) => ({
    path: '/api/imports',
    form: rowsForm({ crosswalkId }, 'sourceValue,targetValue\nA,A\n'),
  }),
  'GET /api/imports/:id': async (fixture, caller) => ({ path: `/api/imports/${await stageCsv(fixture, caller)}` }),
  'POST /api/imports/:id/start': async (fixture, caller) => ({
    path: `/api/imports/${await stageCsv(fixture, caller)}/start`,
    body: { description: 'Rows' },
  }),
  'POST /api/imports#draft': () => {
    const form = new FormData();
    form.set('file', new File(['code\nA\n'], 'codes.csv'));
    return { path: '/api/imports', form };
  },
  'POST /api/imports#start': ({ sourceId }) => {
    const form = csvForm(sourceId);
    form.delete('file');
    form.set('start', 'true');
    form.set('text', `code,name\n${uniqueName('row')},Row\n`);
    return { path: '/api/imports', form };
  },
  'GET /api/imports/:id/targets': draftRequest('/targets'),
  'GET /api/imports/:id/problems': draftRequest('/problems'),
  'GET /api/imports/:id/problems/:group': draftRequest('/problems/all'),
  'PATCH /api/imports/:id': draftRequest('', { description: 'Codes' }),
  'PATCH /api/imports/:id#target': async (fixture, caller) => ({
    path: `/api/imports/${await stageDraft(fixture, caller)}`,
    body: { target: { kind: 'dataSet', dataSetId: fixture.sourceId } },
  }),
  'DELETE /api/imports/:id': draftRequest(''),
  'POST /api/imports/:id/validate': draftRequest('/validate'),
  'POST /api/imports/:id/validate#target': async (fixture, caller) => ({
    path: `/api/imports/${await stageDraft(fixture, caller, { kind: 'dataSet', dataSetId: fixture.sourceId })}/validate`,
  }),
  'POST /api/imports/:id/start#draft': async (fixture, caller) => ({
    path: `/api/imports/${await stageDraft(fixture, caller, { kind: 'newDataSet', name: uniqueName('Codes') })}/start`,
    body: { description: 'Codes' },
  }),
  'POST /api/validation-test': ({ sourceId }) => validationRequest(`dataSetId=${sourceId}`),
  'POST /api/validation-test#foreign': ({ foreignId }) => validationRequest(`dataSetId=${foreignId}`),
  'POST /api/validation-test#type': ({ typeId }) => validationRequest(`referenceTypeId=${typeId}`),
  'GET /api/imports/:id/errors': at(({ jobId }) => `/api/imports/${jobId}/errors`),
  'GET /api/jobs': pagedList(
    () => '/api/jobs',
    ({ jobId }) => jobId,
    'jobId',
  ),
  'GET /api/jobs/:jobId': at(({ jobId }) => `/api/jobs/${jobId}`),
  'GET /api/jobs/:jobId/logs': at(({ jobId }) => `/api/jobs/${jobId}/logs`),
  'GET /api/jobs/:jobId/events': at(({ jobId }) => `/api/jobs/${jobId}/events`),
  'GET /api/jobs/:jobId/errors': at(({ jobId }) => `/api/jobs/${jobId}/errors`),
  'POST /api/jobs/:id/cancel': withBody(({ jobId }) => `/api/jobs/${jobId}/cancel`),
  'POST /api/jobs/:id/retry': withBody(({ jobId }) => `/api/jobs/${jobId}/retry`),
  'GET /api/jobs/:id/undo': at(({ jobId }) => `/api/jobs/${jobId}/undo`),
  'POST /api/jobs/:id/undo': async ({ author, importedId }) => ({
    path: `/api/jobs/${await runImport(author, importedId)}/undo`,
    body: {},
  }),

  // The installation.
  'GET /api/audit-logs': pagedList(
    () => '/api/audit-logs?kind=collection&sort=seq&order=DESC',
    ({ collectionId }) => collectionId,
    'entityId',
  ),
  'GET /api/audit-logs/activities': pagedList(
    () =>
      `/api/audit-logs/activities?filter=${encodeURIComponent(
        JSON.stringify({ conditions: [{ field: 'subjectType', operator: 'equals', value: 'collection' }] }),
      )}`,
    ({ collectionId }) => collectionId,
    'subjectId',
  ),
  // Activity 1 exists, because the id of an activity is the seq of its first event.
  'GET /api/audit-logs/activities/:id/rows': at(() => '/api/audit-logs/activities/1/rows'),
  'GET /api/audit-logs/activities/export': at(() => '/api/audit-logs/activities/export?q=nothing'),
  'GET /api/audit-logs/replay': at(({ typeId }) => `/api/audit-logs/replay?stream=referenceType-${typeId}`),
  'GET /api/audit-logs/export': at(() => '/api/audit-logs/export?kind=collection'),
  'GET /api/changes': ({ feedStart, sourceId }) => ({
    path: `/api/changes?after=${feedStart}&types=DataSetCreated&limit=1000`,
    shows: ({ items }) => items.some(({ subject }: Json) => subject === `data-set/${sourceId}`),
  }),
  'GET /api/monitor': () => ({ path: '/api/monitor', shows: ({ jobs }) => jobs.DONE > 0 }),
  'GET /api/moment': at(() => '/api/moment?asOf=seq:1'),
  'GET /api/search': searchOf(
    ({ sourceId }) => `/api/reference-data/${sourceId}`,
    ({ dataSets }, { sourceId }) => dataSets.some(({ id }: Json) => id === sourceId),
  ),
  'GET /api/search#crosswalk': searchOf(
    ({ crosswalkId }) => `/api/crosswalks/${crosswalkId}`,
    ({ definitions }, { crosswalkId }) => definitions.some(({ id }: Json) => id === crosswalkId),
  ),
  'GET /api/search#people': ({ authorName, authorId }) => ({
    path: `/api/search?q=${encodeURIComponent(authorName)}`,
    shows: ({ people }) => people.some(({ id }: Json) => id === authorId),
  }),
  'GET /api/site-paths#of-others': at(({ spareId }) => `/api/site-paths?userId=${spareId}`),
  'POST /internal/audit-logs/head-signature': withBody(
    () => '/internal/audit-logs/head-signature',
    () => ({ logId: '', seq: 1, chainHash: '', at: '' }),
  ),
  'POST /internal/backups/outcomes': withBody(
    () => '/internal/backups/outcomes',
    ({ backupId }) => ({ type: 'BackupFailed', data: { backupId, code: 'INTERNAL', problem: 'none' } }),
  ),
  'POST /internal/backups': withBody(
    () => '/internal/backups',
    () => ({ trigger: 'MANUAL' }),
  ),
  // The body is incomplete, so the request changes nothing even if the caller may report outcomes.
  'POST /internal/purges/outcomes': withBody(
    () => '/internal/purges/outcomes',
    () => ({ type: 'PurgeReclaiming' }),
  ),
  'POST /internal/purges/registrations': withBody(
    () => '/internal/purges/registrations',
    ({ purgeId }) => ({ purgeId, events: 1, firstSeq: 1, lastSeq: 1 }),
  ),
  'POST /internal/backups/:id/verify': withBody(
    ({ backupId }) => `/internal/backups/${backupId}/verify`,
    () => ({ level: 'checksums' }),
  ),
  'POST /internal/backups/overdue': withBody(
    () => '/internal/backups/overdue',
    () => ({ since: new Date().toISOString() }),
  ),
  'POST /internal/backups/expire': withBody(
    () => '/internal/backups/expire',
    () => ({ backupId: 1 }),
  ),
  'POST /internal/bootstrap/finish': withBody(
    () => '/internal/bootstrap/finish',
    () => ({ requirePasswordChange: false }),
  ),
};

/** Functions that return the path of the fixture's entity, by the start of the path in a route. */
const ENTITY_PATHS: Readonly<Record<string, (fixture: PermissionFixture) => string>> = {
  '/api/collections/:id': collection,
  '/api/crosswalks/:id': crosswalk,
  '/api/reference-data/:id': dataSet,
  '/api/reference-types/:id': type,
  '/api/relationships/:id': relationship,
};

/**
 * Returns the request builder of a row. The default for a read requests the path of the route with the id of the
 * fixture's entity. Throws for a write, and if the path needs another id.
 */
export function requestBuilderOf(name: string): RequestBuilder {
  const build = REQUESTS[name];
  if (build) return build;
  const [, path = ':'] = /^GET ([^#]+)$/.exec(name) ?? [];
  const [entity = '', entityPath = () => ''] =
    Object.entries(ENTITY_PATHS).find(([prefix]) => path.startsWith(prefix)) ?? [];
  const subpath = path.slice(entity.length);
  if (subpath.includes(':')) throw new Error(`No request is defined for ${name}`);
  return at((fixture) => `${entityPath(fixture)}${subpath}`);
}
