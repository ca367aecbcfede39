/**
 * How each route of the table is asked: with a body that would do it, on a thing that is there. What a request would
 * use up is made anew for each caller.
 */

import { done, draft, newCrosswalk, newDataSet, newType, rowsForm, rowsOf } from '../fixtures.ts';
import { type Answer, type Json, unique } from '../http-client.ts';
import { type Asking, ask, type Caller } from './callers.ts';
import {
  approvedMapping,
  configuration,
  configurationBody,
  csv,
  type Ground,
  grantedCollection,
  grantsOf,
  newRole,
  newSession,
  newUser,
  PASSWORD,
  type Row,
  savedFilter,
  savedFilterBody,
  submittedMapping,
} from './fixture.ts';

export interface Made extends Omit<Asking, 'method'> {
  /** Of an answer that succeeded: whether it shows, or did, what was asked about. Told as + and - in the table. */
  shows?: (body: Json) => boolean;
  /** In place of the caller's own session, which the answer would end. */
  cookie?: string;
  /** Makes good what the answer did to the caller. */
  after?: (answer: Answer) => Promise<unknown>;
}

type Make = (ground: Ground, caller: Caller) => Made | Promise<Made>;

const at =
  (path: (ground: Ground) => string): Make =>
  (ground) => ({ path: path(ground) });

const send =
  (path: (ground: Ground) => string, body: (ground: Ground) => unknown = () => ({})): Make =>
  (ground) => ({ path: path(ground), body: body(ground) });

/** A list that is answered whole, and the thing that it names for whoever may see it. */
const wholeList =
  (path: (ground: Ground) => string, shown: (ground: Ground) => number, key = 'id'): Make =>
  (ground) => ({
    path: path(ground),
    shows: (body) => (Array.isArray(body) ? body : body.items).some((item: Json) => item[key] === shown(ground)),
  });

/** The same of a list of pages. */
const listing = (path: (ground: Ground) => string, shown: (ground: Ground) => number, key = 'id'): Make =>
  wholeList((ground) => `${path(ground)}${path(ground).includes('?') ? '&' : '?'}pageSize=1000`, shown, key);

/** Of a list that others fill beside this one: what has this value. */
const where = (field: string, value: number): string => {
  const conditions = [{ field, operator: 'equals', value }];
  return `filter=${encodeURIComponent(JSON.stringify({ logic: 'AND', conditions }))}`;
};
const ofOneCrosswalk = ({ crosswalkId }: Ground): string => where('parentId', crosswalkId);

/** Rows that are each answered for themselves. */
const rows = (path: string, of: readonly Row[], more: object = {}): Made => ({
  path,
  body: { rows: of.map(({ id, revision }) => ({ id, revision, ...more })), comment: 'Because' },
  shows: (body) => body.done > 0,
});

/** The same, telling whether the level sufficed: what was done, or refused for what the row is rather than who asks. */
const reaching = (made: Made): Made => ({
  ...made,
  shows: ({ results }) => results.every(({ code }: Json) => !['NOT_FOUND', 'LEVEL'].includes(code)),
});

const crosswalk = ({ crosswalkId }: Ground) => `/api/crosswalks/${crosswalkId}`;
const mappings = (ground: Ground) => `${crosswalk(ground)}/mappings`;
const relationship = ({ relationshipId }: Ground) => `/api/relationships/${relationshipId}`;
const values = (ground: Ground) => `${relationship(ground)}/values`;
const dataSet = ({ sourceId }: Ground) => `/api/reference-data/${sourceId}`;
const instances = (ground: Ground) => `${dataSet(ground)}/instances`;
const collection = ({ collectionId }: Ground) => `/api/collections/${collectionId}`;
const type = ({ typeId }: Ground) => `/api/reference-types/${typeId}`;

/** One that is listed: rows are found by where they are read. */
async function missing({ author, crosswalkId }: Ground): Promise<number> {
  const { id } = done(await author.post('/api/missing-mappings', { crosswalkId, sourceValue: unique('missing') }));
  done(await author.get(`/api/missing-mappings?crosswalkId=${crosswalkId}`));
  return id;
}

async function drafted({ author, crosswalkId }: Ground): Promise<Row> {
  return (await draft(author, crosswalkId, [[unique('value'), 'x']]))[0] as Row;
}

/** The row as a verb leaves it. */
async function led(ground: Ground, row: Row, method: 'post' | 'delete' | 'patch', verb: string, more: object = {}) {
  const body = { rows: [{ ...row, ...more }], comment: 'Because' };
  return rowsOf(done(await ground.author[method](`${mappings(ground)}${verb}`, body)))[0] as Row;
}

/** A value that the caller submitted; the author's where the caller may not. */
async function submittedBy(ground: Ground, caller: Caller): Promise<Row> {
  const asked = async (path: string, body: unknown) =>
    ask(ground.baseUrl, caller, { method: 'POST', path: `${mappings(ground)}${path}`, body });
  const drafted = await asked('', { rows: [{ sourceValue: unique('value'), targetValue: 'x' }] });
  if (drafted.status !== 201) return submittedMapping(ground.author, ground.crosswalkId);
  return rowsOf(done(await asked('/submit', { rows: rowsOf(drafted.body) })))[0] as Row;
}

const pair = () => ({ rows: [{ sourceValue: unique('value'), targetValue: 'x' }] });
const undoing = (commandId: string): Made => ({
  path: `/api/batches/${commandId}/undo`,
  body: {},
  shows: (body) => body.done > 0,
});

async function added(ground: Ground): Promise<Row> {
  const { id, revision } = done(
    await ground.author.post(instances(ground), { rows: [{ data: { code: unique('row') } }] }),
  );
  return { id, revision };
}

/** A row of the source that nothing leads from yet, and one of the target. */
async function newPair(ground: Ground): Promise<{ sourceInstanceId: number; targetKey: string }> {
  return { sourceInstanceId: (await added(ground)).id, targetKey: 'A' };
}

/** A value of the author's, as these verbs lead it; the administrator decides. */
async function related(ground: Ground, ...verbs: ('submit' | 'approve')[]): Promise<Row> {
  const { author, admin } = ground;
  let led = rowsOf(done(await author.post(values(ground), { rows: [await newPair(ground)] })));
  for (const verb of verbs) {
    led = rowsOf(done(await (verb === 'submit' ? author : admin).post(`${values(ground)}/${verb}`, { rows: led })));
  }
  return led[0] as Row;
}

/** A value that the caller submitted; the author's where the caller may not. */
async function relatedBy(ground: Ground, caller: Caller): Promise<Row> {
  const asked = async (path: string, body: unknown) =>
    ask(ground.baseUrl, caller, { method: 'POST', path: `${values(ground)}${path}`, body });
  const drafted = await asked('', { rows: [await newPair(ground)] });
  if (drafted.status !== 201) return related(ground, 'submit');
  return rowsOf(done(await asked('/submit', { rows: rowsOf(drafted.body) })))[0] as Row;
}

/** The attributes of a relationship made for one question: one has room for so many only. */
const newAttributes = async ({ author, sourceId, targetId }: Ground): Promise<string> => {
  const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
  return `/api/relationships/${id}/attributes`;
};

const anAttribute = () => ({ name: unique('Attribute'), dataType: 'string' });

/** A request about an attribute of such a relationship. */
const ofNewAttribute = async (ground: Ground, body: object = {}): Promise<Made> => {
  const path = await newAttributes(ground);
  const { attributeId: id } = done(await ground.author.post(path, anAttribute()));
  return { path, body: { id, ...body } };
};

/** A relationship that the author asked to be deleted, with a value that was approved. */
async function unwanted({ author, admin, sourceId, targetId }: Ground): Promise<string> {
  const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
  const path = `/api/relationships/${id}`;
  let led = rowsOf(done(await author.post(`${path}/values`, { rows: [{ sourceKey: 'A', targetKey: 'A' }] })));
  led = rowsOf(done(await author.post(`${path}/values/submit`, { rows: led })));
  done(await admin.post(`${path}/values/approve`, { rows: led }));
  done(await author.delete(path));
  return path;
}

/** A data set, collection or crosswalk of the author's, where everybody has the same levels. */
const ownDataSet = ({ author, typeId, collectionId }: Ground) => newDataSet(author, typeId, collectionId);
const ownCollection = ({ author, callers }: Ground) => grantedCollection(author, grantsOf(callers));
async function ownCrosswalk(ground: Ground, ...verbs: ('submit' | 'approve')[]): Promise<string> {
  const id = await newCrosswalk(ground.author, ground.sourceId, ground.targetId);
  for (const verb of verbs) {
    done(await (verb === 'submit' ? ground.author : ground.admin).post(`/api/crosswalks/${id}/${verb}`, {}));
  }
  return `/api/crosswalks/${id}`;
}

/** An approved one that the author changed since. */
async function changedCrosswalk(ground: Ground): Promise<string> {
  const path = await ownCrosswalk(ground, 'submit', 'approve');
  done(await ground.author.patch(path, { unmapped: { yields: 'SOURCE_VALUE' } }));
  return path;
}

/** One whose target everybody may read, and whoever has a level on its source no more than that. */
async function crosswalkAway({ author, callers, typeId, sourceId }: Ground): Promise<number> {
  const grants = grantsOf(callers).map((grant) => ({ ...grant, permissionLevel: 'READ' }));
  return newCrosswalk(author, sourceId, await newDataSet(author, typeId, await grantedCollection(author, grants)));
}

const validating = (target: string): Made => ({
  path: `/api/validation-test?${target}`,
  body: [{ code: 'A' }],
  shows: ({ validRows }) => validRows === 1,
});

const weighing = (parentId: number, { id }: Row): Made => ({
  path: '/api/approvals/impact',
  body: { items: [{ kind: 'mapping', parentId, id }] },
  shows: ({ weighed }) => weighed > 0,
});

/** One that the author deleted while it was a draft. */
async function goneCrosswalk(ground: Ground): Promise<string> {
  const path = await ownCrosswalk(ground);
  done(await ground.author.delete(path));
  return path;
}
async function goneRelationship({ author, sourceId, targetId }: Ground): Promise<string> {
  const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
  done(await author.delete(`/api/relationships/${id}`));
  return `/api/relationships/${id}`;
}

/** One that the caller submitted; the author's where the caller may not. */
async function crosswalkSubmittedBy(ground: Ground, caller: Caller): Promise<string> {
  const path = await ownCrosswalk(ground);
  const { status } = await ask(ground.baseUrl, caller, { method: 'POST', path: `${path}/submit`, body: {} });
  if (status !== 200) done(await ground.author.post(`${path}/submit`));
  return path;
}

/** A request about many definitions: this one, as it stands, by its path. */
async function together({ author, admin }: Ground, path: string, verb?: string): Promise<Made> {
  const list = path.slice(0, path.lastIndexOf('/'));
  const id = Number(path.slice(path.lastIndexOf('/') + 1));
  // Each of them finds what they did themselves: the later one tells.
  const found = [await author.get(path), await admin.get(path)].filter(({ status }) => status === 200);
  if (found.length === 0) {
    // One that was deleted is listed among those.
    const { items } = done(await author.get(`${list}?deleted=true&sort=id&order=DESC&pageSize=1000`));
    found.push({ body: items.find((each: Json) => each.id === id) } as Answer);
  }
  const revision = Math.max(...found.map(({ body }) => body.revision));
  return rows(verb === undefined ? list : `${list}/${verb}`, [{ id, revision }]);
}

/** A file that the author uploaded, handed over: people without WRITE could not upload one of their own. */
const stagedFile = (ground: Ground, caller: Caller): Promise<string> =>
  handedOver(ground, caller, csv(ground.sourceId));

async function handedOver({ author, pool }: Ground, caller: Caller, form: FormData): Promise<string> {
  const { id } = done(await author.post('/api/imports', form));
  await pool.query('UPDATE command.staged_files SET owner_id = $2 WHERE id = $1', [id, caller.ownerId]);
  return id;
}

const stagedMappings = (ground: Ground, caller: Caller): Promise<string> =>
  handedOver(ground, caller, rowsForm({ crosswalkId: ground.crosswalkId }, 'sourceValue,targetValue\nA,A\n'));

const stagedValues = (ground: Ground, caller: Caller): Promise<string> =>
  handedOver(ground, caller, rowsForm({ relationshipId: ground.relationshipId }, 'sourceKey,targetKey\nA,B\n'));

const NO_FILTER = 999_999_999;

/**
 * A filter of the caller's own; the author's shared one for whoever may keep none. Who has to change a password first is to
 * be stopped at the gate: behind it they would find nothing.
 */
async function ownFilter({ baseUrl, sourceId, sharedFilterId }: Ground, caller: Caller): Promise<number> {
  const body = savedFilterBody(sourceId);
  const { status, body: said } = await ask(baseUrl, caller, { method: 'POST', path: '/api/saved-filters', body });
  if (status === 201) return said.id;
  return caller.name === 'flagged' ? NO_FILTER : sharedFilterId;
}

const onSpareUser = (verb: string): Make => send(({ spareId }) => `/api/users/${spareId}/${verb}`);

const newDataSetBody = ({ typeId }: Ground) => ({ name: unique('Data set'), typeId });
const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
const relationshipBody = (sourceDataSetId: number, targetDataSetId: number) => ({
  name: unique('Relationship'),
  sourceDataSetId,
  targetDataSetId,
  sourceField: 'code',
  targetField: 'code',
});
const crosswalkBody = (sourceSystemId: number, targetSystemId: number) => ({
  name: unique('Crosswalk'),
  sourceSystemId,
  targetSystemId,
  sourceAttribute: 'code',
  targetAttribute: 'code',
});

/** By the rows of the table; what follows # tells two rows of one route apart. */
export const REQUESTS: Readonly<Record<string, Make>> = {
  // Signing in, and what one does to oneself.
  'POST /api/login': send(
    () => '/api/login',
    ({ authorName }) => ({ username: authorName, password: PASSWORD }),
  ),
  'POST /api/register': () => ({
    path: '/api/register',
    body: { email: `${unique('matrix').replace(' ', '-')}@example.com`, password: PASSWORD, confirmPassword: PASSWORD },
  }),
  'POST /api/logout': async (ground, caller) => ({
    path: '/api/logout',
    body: {},
    ...(caller.signIn ? { cookie: await newSession(ground, caller) } : {}),
  }),
  'POST /api/session/heartbeat': send(() => '/api/session/heartbeat'),
  'POST /api/change-password': ({ pool }, caller) => {
    const newPassword = `${unique('Matrix')}-1`;
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
  'POST /api/reset-password/request': send(
    () => '/api/reset-password/request',
    () => ({ email: 'nobody-of-this-house@example.com' }),
  ),
  'POST /api/reset-password': send(
    () => '/api/reset-password',
    () => ({ token: 'no-such-token', password: PASSWORD, confirmPassword: PASSWORD }),
  ),
  'POST /api/okta-login': send(
    () => '/api/okta-login',
    () => ({ id_token: 'not.a.token' }),
  ),
  'GET /api/auth/config': at(() => '/api/auth/config'),
  'GET /api/user': at(() => '/api/user'),

  // Users, roles, groups, keys.
  'GET /api/users': listing(
    () => '/api/users?sort=id&order=DESC',
    ({ spareId }) => spareId,
  ),
  'GET /api/users/:id': at(({ spareId }) => `/api/users/${spareId}`),
  'GET /api/users/names': at(({ spareId }) => `/api/users/names?ids=${spareId}`),
  'GET /api/users/directory': at(() => '/api/users/directory?q=steward'),
  'POST /api/users': send(
    () => '/api/users',
    () => {
      const username = unique('matrix').replace(' ', '-');
      return { username, email: `${username}@example.com`, password: PASSWORD, roleId: 4 };
    },
  ),
  'PATCH /api/users/:id': send(
    ({ spareId }) => `/api/users/${spareId}`,
    () => ({ department: unique('Department') }),
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
  'GET /api/roles': listing(
    () => '/api/roles?sort=id&order=DESC',
    ({ spareRoleId }) => spareRoleId,
  ),
  'POST /api/roles': send(
    () => '/api/roles',
    () => ({ name: unique('Role') }),
  ),
  'PATCH /api/roles/:id': send(
    ({ spareRoleId }) => `/api/roles/${spareRoleId}`,
    () => ({ description: unique('Words') }),
  ),
  'DELETE /api/roles/:id': async ({ admin }) => ({ path: `/api/roles/${await newRole(admin, 'Spare', [], [])}` }),
  'GET /api/groups': listing(
    () => '/api/groups?sort=id&order=DESC',
    ({ spareGroupId }) => spareGroupId,
  ),
  'GET /api/groups/:id/members': at(({ spareGroupId }) => `/api/groups/${spareGroupId}/members`),
  'POST /api/groups': send(
    () => '/api/groups',
    () => ({ name: unique('Group') }),
  ),
  'PATCH /api/groups/:id': send(
    ({ spareGroupId }) => `/api/groups/${spareGroupId}`,
    () => ({ description: unique('Words') }),
  ),
  'DELETE /api/groups/:id': async ({ admin }) => ({
    path: `/api/groups/${done(await admin.post('/api/groups', { name: unique('Group') })).id}`,
  }),
  'PUT /api/groups/:id/members': send(
    ({ spareGroupId }) => `/api/groups/${spareGroupId}/members`,
    ({ spareId }) => ({ userIds: [spareId] }),
  ),
  'GET /api/api-keys': listing(
    () => '/api/api-keys?sort=id&order=DESC',
    ({ spareKeyId }) => spareKeyId,
  ),
  'GET /api/api-keys/:id/usage': at(({ spareKeyId }) => `/api/api-keys/${spareKeyId}/usage`),
  'POST /api/api-keys': send(
    () => '/api/api-keys',
    ({ collectionId }) => ({ name: unique('Key'), scopes: [{ collectionId, scope: 'read' }] }),
  ),
  'POST /api/api-keys/:id/rotate': send(({ spareKeyId }) => `/api/api-keys/${spareKeyId}/rotate`),
  'POST /api/api-keys/:id/revoke': async ({ admin, collectionId }) => {
    const body = { name: unique('Key'), scopes: [{ collectionId, scope: 'read' }] };
    return { path: `/api/api-keys/${done(await admin.post('/api/api-keys', body)).id}/revoke`, body: {} };
  },

  // Reference types.
  'GET /api/reference-types': wholeList(
    () => '/api/reference-types',
    ({ typeId }) => typeId,
  ),
  'GET /api/reference-types/:id': at(type),
  'GET /api/reference-types/:id/schemas': at((ground) => `${type(ground)}/schemas`),
  'GET /api/reference-types/:id/events': at((ground) => `${type(ground)}/events`),
  'GET /api/reference-types/:id/dependencies': (ground) => ({
    path: `${type(ground)}/dependencies`,
    shows: ({ datasets }) => datasets.some(({ id }: Json) => id === ground.sourceId),
  }),
  'POST /api/reference-types/:id/schema-preview': (ground) => ({
    path: `${type(ground)}/schema-preview`,
    body: { schemas },
    shows: ({ datasets, others }) => datasets.length + others.untouched > 0,
  }),
  'POST /api/reference-types': send(
    () => '/api/reference-types',
    () => ({ name: unique('Type'), schemas }),
  ),
  'PATCH /api/reference-types/:id': send(type, () => ({ description: unique('Words') })),
  'PUT /api/reference-types/:id/schemas': async ({ author }) => ({
    path: `/api/reference-types/${await newType(author)}/schemas`,
    body: { schemas: [...schemas, { name: 'more', dataType: 'string' }] },
  }),
  'DELETE /api/reference-types/:id': async ({ author }) => ({ path: `/api/reference-types/${await newType(author)}` }),

  // Data sets and their instances.
  'GET /api/reference-data': listing(
    () => '/api/reference-data?sort=id&order=DESC',
    ({ sourceId }) => sourceId,
  ),
  'GET /api/reference-data/:id': at(dataSet),
  'GET /api/reference-data/:id#foreign': at(({ foreignId }) => `/api/reference-data/${foreignId}`),
  'GET /api/graph': at(() => '/api/graph'),
  'GET /api/graph/info': at(() => '/api/graph/info'),
  'POST /api/graph/rebuild': send(() => '/api/graph/rebuild'),
  'GET /api/reference-data/:id/graph': at((ground) => `${dataSet(ground)}/graph`),
  'POST /api/reference-data/:id/schema-preview': send(
    (ground) => `${dataSet(ground)}/schema-preview`,
    () => ({ schemas }),
  ),
  'GET /api/reference-data/:id/integrity': at((ground) => `${dataSet(ground)}/integrity`),
  'GET /api/integrity': ({ sourceId }) => ({
    path: `/api/integrity?ids=${sourceId}`,
    shows: ({ items }) => items.some(({ id }: Json) => id === sourceId),
  }),
  'GET /api/reference-data/:id/dependencies': (ground) => ({
    path: `${dataSet(ground)}/dependencies`,
    shows: ({ crosswalkMappings }) => crosswalkMappings.some(({ id }: Json) => id === ground.crosswalkId),
  }),
  'GET /api/reference-data/:id/export': at((ground) => `${dataSet(ground)}/export`),
  'GET /api/reference-data/:id/instances': at(instances),
  'GET /api/reference-data/:id/instances/:instanceId': at((ground) => `${instances(ground)}/${ground.instance.id}`),
  'GET /api/reference-data/:id/instances/:instanceId/history': at(
    (ground) => `${instances(ground)}/${ground.instance.id}/history`,
  ),
  'GET /api/reference-data/:id/instances/:instanceId/references': (ground) => ({
    path: `${instances(ground)}/${ground.instance.id}/references`,
    shows: ({ mappings }) => mappings.some(({ id }: Json) => id === ground.served.id),
  }),
  'POST /api/reference-data': send(() => '/api/reference-data', newDataSetBody),
  'POST /api/reference-data#into': send(
    () => '/api/reference-data',
    (ground) => ({ ...newDataSetBody(ground), collectionId: ground.promotedId }),
  ),
  'PATCH /api/reference-data/:id': send(dataSet, () => ({ description: unique('Words') })),
  'DELETE /api/reference-data/:id': async (ground) => ({ path: `/api/reference-data/${await ownDataSet(ground)}` }),
  'POST /api/reference-data/:id/instances': send(instances, () => ({ data: { code: unique('row') } })),
  'PATCH /api/reference-data/:id/instances': async (ground) => {
    const { id, revision } = await added(ground);
    return {
      path: instances(ground),
      body: [{ id, revision, data: { name: unique('Name') } }],
      shows: (body) => body.done > 0,
    };
  },
  'DELETE /api/reference-data/:id/instances': async (ground) => rows(instances(ground), [await added(ground)]),
  'POST /api/reference-data/:id/instances/restore': async (ground) => {
    const row = await added(ground);
    const removed = rowsOf(done(await ground.author.delete(instances(ground), { rows: [row] })));
    return rows(`${instances(ground)}/restore`, removed);
  },
  'POST /api/reference-data/:id/instances/deletion-impact': async (ground) => ({
    path: `${instances(ground)}/deletion-impact`,
    body: { rows: [await added(ground)] },
    shows: ({ rowCount, referencedCount }) => rowCount === 1 && referencedCount === 0,
  }),
  'POST /api/reference-data/:id/instances/paste-preview': (ground) => ({
    path: `${instances(ground)}/paste-preview`,
    body: { fields: ['code', 'name'], rows: [{ cells: ['A', unique('Name')] }] },
    shows: ({ results }) => results[0].id === ground.instance.id,
  }),

  // Relationships.
  'GET /api/relationships': listing(
    () => '/api/relationships?sort=id&order=DESC',
    ({ relationshipId }) => relationshipId,
  ),
  'GET /api/relationships/:id': at(({ relationshipId }) => `/api/relationships/${relationshipId}`),
  'POST /api/relationships': send(
    () => '/api/relationships',
    ({ sourceId, targetId }) => relationshipBody(sourceId, targetId),
  ),
  'POST /api/relationships#foreign': send(
    () => '/api/relationships',
    ({ sourceId, foreignId }) => relationshipBody(sourceId, foreignId),
  ),
  'DELETE /api/relationships/:id': async ({ author, sourceId, targetId }) => {
    const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
    return { path: `/api/relationships/${id}` };
  },

  'GET /api/relationships/:id/attributes': at((ground) => `${relationship(ground)}/attributes`),
  'GET /api/relationships/:id/history': at((ground) => `${relationship(ground)}/history`),
  'PATCH /api/relationships/:id': send(relationship, () => ({ relationshipType: unique('Words') })),
  'POST /api/relationships/:id/recall': async (ground) => ({ path: `${await unwanted(ground)}/recall`, body: {} }),
  'POST /api/relationships/:id/approve': async (ground) => ({ path: `${await unwanted(ground)}/approve`, body: {} }),
  'POST /api/relationships/:id/reject': async (ground) => ({
    path: `${await unwanted(ground)}/reject`,
    body: { comment: 'Because' },
  }),
  'POST /api/relationships/:id/restore': async (ground) => ({
    path: `${await goneRelationship(ground)}/restore`,
    body: {},
  }),
  'DELETE /api/relationships': async (ground) => {
    const { author, sourceId, targetId } = ground;
    const { id } = done(await author.post('/api/relationships', relationshipBody(sourceId, targetId)));
    return together(ground, `/api/relationships/${id}`);
  },
  'POST /api/relationships/recall': async (ground) => together(ground, await unwanted(ground), 'recall'),
  'POST /api/relationships/recall#reached': async (ground) =>
    reaching(await together(ground, await unwanted(ground), 'recall')),
  'POST /api/relationships/approve': async (ground) => together(ground, await unwanted(ground), 'approve'),
  'POST /api/relationships/reject': async (ground) => together(ground, await unwanted(ground), 'reject'),
  'POST /api/relationships/restore': async (ground) => together(ground, await goneRelationship(ground), 'restore'),
  'POST /api/relationships/:id/attributes': async (ground) => ({
    path: await newAttributes(ground),
    body: anAttribute(),
  }),
  'POST /api/relationships/:id/copy': send(
    (ground) => `${relationship(ground)}/copy`,
    () => ({ name: unique('Copy') }),
  ),
  'PATCH /api/relationships/:id/attributes': (ground) => ofNewAttribute(ground, { description: 'Words' }),
  'DELETE /api/relationships/:id/attributes': (ground) => ofNewAttribute(ground),

  // Relationship values.
  'GET /api/relationships/values': listing(
    ({ related }) => `/api/relationships/values?${where('id', related.id)}`,
    ({ related }) => related.id,
  ),
  'GET /api/relationships/values/counts': () => ({
    path: '/api/relationships/values/counts',
    shows: ({ draft }) => draft > 0,
  }),
  'GET /api/relationships/:id/export': at((ground) => `${relationship(ground)}/export`),
  'GET /api/relationships/:id/values': at(values),
  'GET /api/relationships/:id/values/counts': at((ground) => `${values(ground)}/counts`),
  'GET /api/relationships/:id/values/:valueId/history': at(
    (ground) => `${values(ground)}/${ground.related.id}/history`,
  ),
  'GET /api/reference-data/:id/instances/:instanceId/relationships': at(
    (ground) => `${instances(ground)}/${ground.instance.id}/relationships`,
  ),
  'POST /api/relationships/:id/values': async (ground) => ({ path: values(ground), body: await newPair(ground) }),
  'POST /api/relationships/:id/values/import-preview': async (ground, caller) => ({
    path: `${values(ground)}/import-preview`,
    body: { fileId: await stagedValues(ground, caller) },
    shows: ({ rows: [row] }) => row.outcome === 'unchanged',
  }),
  'POST /api/relationships/:id/values/import': async (ground, caller) => ({
    path: `${values(ground)}/import`,
    body: { fileId: await stagedValues(ground, caller) },
  }),
  'PATCH /api/relationships/:id/values': async (ground) =>
    rows(values(ground), [await related(ground)], { attributes: { note: 'x' } }),
  'DELETE /api/relationships/:id/values': async (ground) => rows(values(ground), [await related(ground)]),
  'POST /api/relationships/:id/values/submit': async (ground) =>
    rows(`${values(ground)}/submit`, [await related(ground)]),
  'POST /api/relationships/:id/values/recall': async (ground) =>
    rows(`${values(ground)}/recall`, [await related(ground, 'submit')]),
  'POST /api/relationships/:id/values/approve': async (ground) =>
    rows(`${values(ground)}/approve`, [await related(ground, 'submit')]),
  'POST /api/relationships/:id/values/approve#own': async (ground, caller) =>
    rows(`${values(ground)}/approve`, [await relatedBy(ground, caller)]),
  'POST /api/relationships/:id/values/reject': async (ground) =>
    rows(`${values(ground)}/reject`, [await related(ground, 'submit')]),
  'POST /api/relationships/:id/values/revoke': async (ground) =>
    rows(`${values(ground)}/revoke`, [await related(ground, 'submit', 'approve')]),
  'POST /api/relationships/:id/values/discard': async (ground) => {
    const served = await related(ground, 'submit', 'approve');
    const edit = { rows: [{ ...served, attributes: { note: 'x' } }] };
    return rows(`${values(ground)}/discard`, rowsOf(done(await ground.author.patch(values(ground), edit))));
  },
  'POST /api/relationships/:id/values/restore': async (ground) => {
    const gone = rowsOf(done(await ground.author.delete(values(ground), { rows: [await related(ground)] })));
    return rows(`${values(ground)}/restore`, gone);
  },

  // Crosswalks.
  'GET /api/crosswalks': listing(
    ({ crosswalkId }) => `/api/crosswalks?${where('id', crosswalkId)}`,
    ({ crosswalkId }) => crosswalkId,
  ),
  'GET /api/crosswalks/:id': at(crosswalk),
  'GET /api/crosswalks/:id/statistics': at((ground) => `${crosswalk(ground)}/statistics`),
  'GET /api/crosswalks/:id/history': at((ground) => `${crosswalk(ground)}/history`),
  'GET /api/crosswalks/:id/suggestions': at((ground) => `${crosswalk(ground)}/suggestions`),
  'GET /api/crosswalks/:id/export': at((ground) => `${crosswalk(ground)}/export`),
  'GET /api/crosswalks/suggestions-preview': at(
    ({ sourceId, targetId }) =>
      `/api/crosswalks/suggestions-preview?sourceSystemId=${sourceId}&targetSystemId=${targetId}&sourceAttribute=code&targetAttribute=code`,
  ),
  'GET /api/crosswalk/comparison/:targetDatasetId': at(({ targetId }) => `/api/crosswalk/comparison/${targetId}`),
  'GET /api/crosswalk/comparison/:targetDatasetId/export': at(
    ({ targetId }) => `/api/crosswalk/comparison/${targetId}/export`,
  ),
  'GET /api/crosswalks/:id/translate': at((ground) => `${crosswalk(ground)}/translate?value=A`),
  'POST /api/crosswalks/:id/translate': send(
    (ground) => `${crosswalk(ground)}/translate`,
    () => ({ values: ['A'] }),
  ),
  'POST /api/crosswalks': send(
    () => '/api/crosswalks',
    ({ sourceId, targetId }) => crosswalkBody(sourceId, targetId),
  ),
  'POST /api/crosswalks#foreign': send(
    () => '/api/crosswalks',
    ({ sourceId, foreignId }) => crosswalkBody(sourceId, foreignId),
  ),
  'POST /api/crosswalks/:id/duplicate': send(
    (ground) => `${crosswalk(ground)}/duplicate`,
    () => ({ name: unique('Crosswalk') }),
  ),
  'POST /api/crosswalks/:id/reverse': send(
    (ground) => `${crosswalk(ground)}/reverse`,
    () => ({ name: unique('Crosswalk') }),
  ),
  'PATCH /api/crosswalks/:id': send(crosswalk, () => ({ description: unique('Words') })),
  'DELETE /api/crosswalks/:id': async (ground) => ({ path: await ownCrosswalk(ground), body: {} }),
  'POST /api/crosswalks/:id/submit': async (ground) => ({ path: `${await ownCrosswalk(ground)}/submit`, body: {} }),
  'POST /api/crosswalks/:id/recall': async (ground) => ({
    path: `${await ownCrosswalk(ground, 'submit')}/recall`,
    body: {},
  }),
  'POST /api/crosswalks/:id/approve': async (ground) => ({
    path: `${await ownCrosswalk(ground, 'submit')}/approve`,
    body: {},
  }),
  'POST /api/crosswalks/:id/reject': async (ground) => ({
    path: `${await ownCrosswalk(ground, 'submit')}/reject`,
    body: { comment: 'Because' },
  }),
  'POST /api/crosswalks/:id/revoke': async (ground) => ({
    path: `${await ownCrosswalk(ground, 'submit', 'approve')}/revoke`,
    body: { comment: 'Because' },
  }),
  'POST /api/crosswalks/:id/discard': async (ground) => {
    const path = await ownCrosswalk(ground, 'submit', 'approve');
    done(await ground.author.patch(path, { unmapped: { yields: 'SOURCE_VALUE' } }));
    return { path: `${path}/discard`, body: {} };
  },
  'POST /api/crosswalks/:id/restore': async (ground) => ({ path: `${await goneCrosswalk(ground)}/restore`, body: {} }),

  // Many of them at once.
  'DELETE /api/crosswalks': async (ground) => together(ground, await ownCrosswalk(ground)),
  'POST /api/crosswalks/submit': async (ground) => together(ground, await ownCrosswalk(ground), 'submit'),
  'POST /api/crosswalks/recall': async (ground) => together(ground, await ownCrosswalk(ground, 'submit'), 'recall'),
  'POST /api/crosswalks/recall#reached': async (ground) =>
    reaching(await together(ground, await ownCrosswalk(ground, 'submit'), 'recall')),
  'POST /api/crosswalks/approve': async (ground) => together(ground, await ownCrosswalk(ground, 'submit'), 'approve'),
  'POST /api/crosswalks/approve#own': async (ground, caller) =>
    together(ground, await crosswalkSubmittedBy(ground, caller), 'approve'),
  'POST /api/crosswalks/reject': async (ground) => together(ground, await ownCrosswalk(ground, 'submit'), 'reject'),
  'POST /api/crosswalks/revoke': async (ground) =>
    together(ground, await ownCrosswalk(ground, 'submit', 'approve'), 'revoke'),
  'POST /api/crosswalks/discard': async (ground) => together(ground, await changedCrosswalk(ground), 'discard'),
  'POST /api/crosswalks/discard#reached': async (ground) =>
    reaching(await together(ground, await changedCrosswalk(ground), 'discard')),
  'POST /api/crosswalks/restore': async (ground) => together(ground, await goneCrosswalk(ground), 'restore'),

  // Mapping values.
  'GET /api/crosswalks/:id/mappings': at(mappings),
  'GET /api/crosswalks/:id/mappings/counts': at((ground) => `${mappings(ground)}/counts`),
  'GET /api/crosswalks/:id/mappings/:valueId/history': at(
    (ground) => `${mappings(ground)}/${ground.served.id}/history`,
  ),
  'POST /api/crosswalks/:id/mappings': send(mappings, () => ({ sourceValue: unique('value'), targetValue: 'x' })),
  'POST /api/crosswalks/:id/mappings/import-preview': async (ground, caller) => ({
    path: `${mappings(ground)}/import-preview`,
    body: { fileId: await stagedMappings(ground, caller) },
    shows: ({ rows: [row] }) => row.outcome === 'unchanged',
  }),
  'POST /api/crosswalks/:id/mappings/import': async (ground, caller) => ({
    path: `${mappings(ground)}/import`,
    body: { fileId: await stagedMappings(ground, caller) },
  }),
  'PATCH /api/crosswalks/:id/mappings': async (ground) =>
    rows(mappings(ground), [await drafted(ground)], { targetValue: 'y' }),
  'DELETE /api/crosswalks/:id/mappings': async (ground) => rows(mappings(ground), [await drafted(ground)]),
  'POST /api/crosswalks/:id/suggestions/dismiss': (ground) => ({
    path: `${crosswalk(ground)}/suggestions/dismiss`,
    body: { rows: [{ sourceValue: unique('value'), targetValue: 'x' }] },
    shows: ({ done }) => done > 0,
  }),
  'POST /api/crosswalks/:id/suggestions/restore': async (ground) => {
    const rows = [{ sourceValue: unique('value'), targetValue: 'x' }];
    const dismissed = done(await ground.author.post(`${crosswalk(ground)}/suggestions/dismiss`, { rows }));
    const ids = dismissed.results.map(({ id }: Json) => id);
    return { path: `${crosswalk(ground)}/suggestions/restore`, body: { ids }, shows: ({ done }) => done > 0 };
  },
  'POST /api/crosswalks/:id/mappings/submit': async (ground) =>
    rows(`${mappings(ground)}/submit`, [await drafted(ground)]),
  'POST /api/crosswalks/:id/mappings/recall': async (ground) =>
    rows(`${mappings(ground)}/recall`, [await submittedMapping(ground.author, ground.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/approve': async (ground) =>
    rows(`${mappings(ground)}/approve`, [await submittedMapping(ground.author, ground.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/approve#own': async (ground, caller) =>
    rows(`${mappings(ground)}/approve`, [await submittedBy(ground, caller)]),
  'POST /api/crosswalks/:id/mappings/reject': async (ground) =>
    rows(`${mappings(ground)}/reject`, [await submittedMapping(ground.author, ground.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/revoke': async (ground) =>
    rows(`${mappings(ground)}/revoke`, [await approvedMapping(ground, ground.crosswalkId)]),
  'POST /api/crosswalks/:id/mappings/discard': async (ground) => {
    const served = await approvedMapping(ground, ground.crosswalkId);
    return rows(`${mappings(ground)}/discard`, [await led(ground, served, 'patch', '', { targetValue: 'z' })]);
  },
  'POST /api/crosswalks/:id/mappings/restore': async (ground) => {
    const row = await drafted(ground);
    return rows(`${mappings(ground)}/restore`, [await led(ground, row, 'delete', '')]);
  },
  'POST /api/approvals/decide': async (ground) => {
    const { id, revision } = await submittedMapping(ground.author, ground.crosswalkId);
    const items = [{ kind: 'mapping', id, revision, parentId: ground.crosswalkId }];
    return {
      path: '/api/approvals/decide',
      body: { decision: 'approve', items },
      shows: (body) => body.done > 0,
    };
  },
  'GET /api/batches/:commandId': at(({ batchId }) => `/api/batches/${batchId}`),
  'POST /api/batches/:commandId/undo': async ({ author, crosswalkId }) => {
    const answer = await author.post(`/api/crosswalks/${crosswalkId}/mappings`, pair());
    return undoing(done(answer).commandId);
  },
  'POST /api/batches/:commandId/undo#own': async (ground, caller) => {
    const asked = { method: 'POST', path: mappings(ground), body: pair() };
    const own = await ask(ground.baseUrl, caller, asked);
    const answer = own.status === 201 ? own : await ground.author.post(asked.path, asked.body);
    return undoing(done(answer).commandId);
  },
  'GET /api/approvals': listing(
    (ground) => `/api/approvals?tab=review&${ofOneCrosswalk(ground)}`,
    ({ pending }) => pending.id,
  ),
  'GET /api/approvals#decided': listing(
    (ground) => `/api/approvals?tab=decided&${ofOneCrosswalk(ground)}`,
    ({ served }) => served.id,
  ),
  'POST /api/approvals/impact': ({ crosswalkId, pending }) => weighing(crosswalkId, pending),
  'POST /api/approvals/impact#reading': async (ground) => {
    const id = await crosswalkAway(ground);
    const submitted = await submittedMapping(ground.author, id);
    // Whoever else asks does not wait for it.
    await ground.author.eventually('/api/approvals?tab=submitted&pageSize=1000', ({ body }) =>
      body.items.some(({ parentId }: Json) => parentId === id),
    );
    return weighing(id, submitted);
  },
  'GET /api/approvals/statistics': () => ({
    path: '/api/approvals/statistics',
    shows: ({ decidedToday }) => decidedToday > 0,
  }),
  'GET /api/missing-mappings': listing(
    ({ crosswalkId }) => `/api/missing-mappings?crosswalkId=${crosswalkId}`,
    ({ missingId }) => missingId,
  ),
  'POST /api/missing-mappings': send(
    () => '/api/missing-mappings',
    ({ crosswalkId }) => ({ crosswalkId, sourceValue: unique('missing') }),
  ),
  'POST /api/missing-mappings/ignore': async (ground) => {
    const body = { ids: [await missing(ground)], comment: 'Because' };
    return { path: '/api/missing-mappings/ignore', body, shows: ({ done }) => done > 0 };
  },
  'POST /api/missing-mappings/reopen': async (ground) => {
    const ids = [await missing(ground)];
    done(await ground.author.post('/api/missing-mappings/ignore', { ids, comment: 'Because' }));
    return { path: '/api/missing-mappings/reopen', body: { ids }, shows: ({ done }) => done > 0 };
  },
  'POST /api/missing-mappings/:id/ignore': send(
    ({ ignorableId }) => `/api/missing-mappings/${ignorableId}/ignore`,
    () => ({ comment: 'Because' }),
  ),
  'POST /api/missing-mappings/:id/reopen': send(
    ({ ignorableId }) => `/api/missing-mappings/${ignorableId}/reopen`,
    () => ({}),
  ),
  'POST /api/missing-mappings/:id/map': send(
    ({ ignorableId }) => `/api/missing-mappings/${ignorableId}/map`,
    () => ({ targetValue: unique('target') }),
  ),
  'POST /api/selections': send(
    () => '/api/selections',
    ({ sourceId }) => ({ kind: 'instances', parentId: sourceId }),
  ),
  // Saved filters and filter configurations.
  'GET /api/saved-filters': wholeList(
    () => '/api/saved-filters',
    ({ sharedFilterId }) => sharedFilterId,
  ),
  'POST /api/saved-filters': send(
    () => '/api/saved-filters',
    ({ sourceId }) => savedFilterBody(sourceId),
  ),
  'POST /api/saved-filters#audit': send(
    () => '/api/saved-filters',
    () => ({ name: unique('Filter'), entity: 'audit', view: {} }),
  ),
  'PATCH /api/saved-filters/:id': async (ground, caller) => ({
    path: `/api/saved-filters/${await ownFilter(ground, caller)}`,
    body: { name: unique('Filter') },
  }),
  'PATCH /api/saved-filters/:id#shared': send(
    ({ sharedFilterId }) => `/api/saved-filters/${sharedFilterId}`,
    () => ({ name: unique('Filter') }),
  ),
  'DELETE /api/saved-filters/:id': async (ground, caller) => ({
    path: `/api/saved-filters/${await ownFilter(ground, caller)}`,
  }),
  'DELETE /api/saved-filters/:id#shared': async ({ author, sourceId }) => ({
    path: `/api/saved-filters/${await savedFilter(author, sourceId, true)}`,
  }),
  'GET /api/notifications': () => ({ path: '/api/notifications' }),
  'POST /api/notifications': send(
    () => '/api/notifications',
    () => ({ ids: ['1-0'], read: true }),
  ),
  'DELETE /api/notifications': send(
    () => '/api/notifications',
    () => ({ ids: ['1-0'] }),
  ),
  'GET /api/filter-configurations': wholeList(
    () => '/api/filter-configurations',
    ({ configurationId }) => configurationId,
  ),
  'POST /api/filter-configurations': async (ground) => ({
    path: '/api/filter-configurations',
    body: configurationBody(await ownDataSet(ground)),
  }),
  'PATCH /api/filter-configurations/:id': send(
    ({ configurationId }) => `/api/filter-configurations/${configurationId}`,
    () => ({ description: unique('Described') }),
  ),
  'PATCH /api/filter-configurations/:id#foreign': async ({ admin, typeId }) => {
    const { id } = done(await admin.post('/api/reference-data', { name: unique('Foreign'), typeId }));
    return { path: `/api/filter-configurations/${await configuration(admin, id)}`, body: { description: 'x' } };
  },
  'DELETE /api/filter-configurations/:id': async (ground) => ({
    path: `/api/filter-configurations/${await configuration(ground.admin, await ownDataSet(ground))}`,
  }),
  'POST /api/filter-test': send(
    () => '/api/filter-test',
    ({ sourceId }) => ({ entity: `data-set:${sourceId}` }),
  ),

  'POST /internal/sightings': send(
    () => '/internal/sightings',
    ({ crosswalkId, authorId }) => ({ crosswalkId, userId: authorId, values: ['Z'] }),
  ),

  // Collections.
  'GET /api/collections': listing(
    () => '/api/collections?sort=id&order=DESC',
    ({ collectionId }) => collectionId,
  ),
  'GET /api/collections/:id': at(collection),
  'GET /api/collections/:id/items': listing(
    (ground) => `${collection(ground)}/items`,
    ({ sourceId }) => sourceId,
  ),
  'GET /api/collections/:id/activity': at((ground) => `${collection(ground)}/activity`),
  'GET /api/collections/:id/permissions': at((ground) => `${collection(ground)}/permissions`),
  'GET /api/collections/:id/effective-access': at(
    (ground) => `${collection(ground)}/effective-access?userId=${ground.authorId}`,
  ),
  'POST /api/collections': send(
    () => '/api/collections',
    () => ({ name: unique('Collection') }),
  ),
  'PATCH /api/collections/:id': send(collection, () => ({ description: unique('Words') })),
  'DELETE /api/collections/:id': async (ground) => ({ path: `/api/collections/${await ownCollection(ground)}` }),
  'POST /api/collections/:id/items': async (ground) => ({
    path: `/api/collections/${ground.otherCollectionId}/items`,
    body: { dataSetIds: [await ownDataSet(ground)] },
  }),
  'POST /api/collections/:id/items#foreign': async (ground) => ({
    path: `${collection(ground)}/items`,
    body: { dataSetIds: [done(await ground.admin.post('/api/reference-data', newDataSetBody(ground))).id] },
  }),
  'DELETE /api/collections/:id/items': async (ground) => ({
    path: `${collection(ground)}/items`,
    body: { dataSetIds: [await ownDataSet(ground)] },
  }),
  'PUT /api/collections/:id/permissions': send(
    (ground) => `${collection(ground)}/permissions`,
    ({ callers }) => ({ permissions: grantsOf(callers) }),
  ),

  // Imports and jobs.
  'POST /api/imports': ({ sourceId }) => ({ path: '/api/imports', form: csv(sourceId) }),
  'POST /api/imports#mappings': ({ crosswalkId }) => ({
    path: '/api/imports',
    form: rowsForm({ crosswalkId }, 'sourceValue,targetValue\nA,A\n'),
  }),
  'GET /api/imports/:id': async (ground, caller) => ({ path: `/api/imports/${await stagedFile(ground, caller)}` }),
  'POST /api/imports/:id/start': async (ground, caller) => ({
    path: `/api/imports/${await stagedFile(ground, caller)}/start`,
    body: { description: 'Rows' },
  }),
  'POST /api/validation-test': ({ sourceId }) => validating(`dataSetId=${sourceId}`),
  'POST /api/validation-test#foreign': ({ foreignId }) => validating(`dataSetId=${foreignId}`),
  'POST /api/validation-test#type': ({ typeId }) => validating(`referenceTypeId=${typeId}`),
  'GET /api/imports/:id/errors': at(({ jobId }) => `/api/imports/${jobId}/errors`),
  'GET /api/jobs': listing(
    () => '/api/jobs',
    ({ jobId }) => jobId,
    'jobId',
  ),
  'GET /api/jobs/:jobId': at(({ jobId }) => `/api/jobs/${jobId}`),
  'GET /api/jobs/:jobId/logs': at(({ jobId }) => `/api/jobs/${jobId}/logs`),
  'GET /api/jobs/:jobId/errors': at(({ jobId }) => `/api/jobs/${jobId}/errors`),
  'POST /api/jobs/:id/cancel': send(({ jobId }) => `/api/jobs/${jobId}/cancel`),
  'POST /api/jobs/:id/retry': send(({ jobId }) => `/api/jobs/${jobId}/retry`),

  // The house.
  'GET /api/audit-logs': listing(
    () => '/api/audit-logs?kind=collection&sort=seq&order=DESC',
    ({ collectionId }) => collectionId,
    'entityId',
  ),
  'GET /api/audit-logs/replay': at(({ typeId }) => `/api/audit-logs/replay?stream=referenceType-${typeId}`),
  'GET /api/audit-logs/head': at(() => '/api/audit-logs/head'),
  'GET /api/audit-logs/verify': at(() => '/api/audit-logs/verify'),
  'GET /api/audit-logs/export': at(() => '/api/audit-logs/export?kind=collection'),
  'GET /api/login-attempts': at(() => '/api/login-attempts'),
  'GET /api/mail-outbox': at(() => '/api/mail-outbox'),
  'GET /api/changes': ({ feedStart, sourceId }) => ({
    path: `/api/changes?after=${feedStart}&types=DataSetCreated&limit=1000`,
    shows: ({ items }) => items.some(({ subject }: Json) => subject === `data-set/${sourceId}`),
  }),
  'GET /api/changes/stream': at(() => '/api/changes/stream'),
  'GET /api/monitor': () => ({ path: '/api/monitor', shows: ({ jobs }) => jobs.DONE > 0 }),
  'GET /api/monitor/projections': at(() => '/api/monitor/projections'),
  'GET /api/diagnostics': at(() => '/api/diagnostics'),
  'GET /api/diagnostics/errors': at(() => '/api/diagnostics/errors'),
  'GET /api/moment': at(() => '/api/moment?asOf=seq:1'),
  'GET /api/site-paths': at(() => '/api/site-paths'),
  'GET /api/site-paths#of-others': at(({ spareId }) => `/api/site-paths?userId=${spareId}`),
  'POST /internal/bootstrap/finish': send(
    () => '/internal/bootstrap/finish',
    () => ({ requirePasswordChange: false }),
  ),
};
