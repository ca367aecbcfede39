/** Routes of users, roles and groups, and of the signed-in user. */
import {
  CurrentUser,
  GROUP_FIELDS,
  GroupMember,
  GroupView,
  isAdministrator,
  ListQuery,
  PersonName,
  pageOf,
  Refusal,
  ROLE_FIELDS,
  RoleView,
  SESSION_TIMEOUT_MINUTES,
  USER_FIELDS,
  UserDetails,
  UserView,
} from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { parseIds, readUserNames } from '../access/user-names.ts';
import { escapeLike } from '../list/filter/like.ts';
import { listJson, oneRow } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, answerJson, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

const NAMES_MAX = 1_000;
const DIRECTORY_SHOWN = 20;

const NamesQuery = z.object({ ids: z.string().optional().describe('Ids of users, separated by commas.') });
const DirectoryQuery = z.object({
  q: z
    .string()
    .default('')
    .describe('The beginning of a username, last name or word of a display name, or a part of the name of a group.'),
});

const ACTIVE_API_KEYS = sql`(SELECT count(*) FROM identity.api_keys k
  WHERE k.created_by = u.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))`;

const OPEN_SESSIONS = sql`(SELECT count(*) FROM identity.sessions s
  WHERE s.user_id = u.id AND s.ended_at IS NULL
    AND s.last_active_at > now() - ${SESSION_TIMEOUT_MINUTES} * interval '1 minute'
    AND s.expires_at > now())`;

type Profile = Omit<CurrentUser, 'id' | 'roleId' | 'roleName' | 'isAdmin' | 'routes' | 'permissions'>;

/** The list of users: profiles of the identity tables, with role and status from the read model. */
function userList(tables: Tables): ListDefinition {
  const role = sql`(SELECT r.name FROM ${tables('roles')} r WHERE r.id = m.role_id)`;
  // The profile, a sign-in name and a device can be locked independently of each other.
  const lockedUntil = sql`greatest(u.locked_until, (SELECT max(l.locked_until) FROM identity.sign_in_locks l
    WHERE l.user_id = u.id))`;
  const locked = sql`coalesce(${lockedUntil} > now(), false)`;
  const failures = sql`greatest(u.failed_login_attempts, (SELECT coalesce(max(l.failures), 0) FROM identity.sign_in_locks l
    WHERE l.user_id = u.id))`;
  const erased = sql`(u.erased_at IS NOT NULL)`;
  const columns = {
    id: sql`u.id`,
    username: sql`u.username`,
    email: sql`u.email`,
    isEmailProved: sql`(u.auth_provider <> 'local' OR u.email_proved_at IS NOT NULL)`,
    firstName: sql`u.first_name`,
    lastName: sql`u.last_name`,
    displayName: sql`u.display_name`,
    phoneNumber: sql`u.phone_number`,
    department: sql`u.department`,
    jobTitle: sql`u.job_title`,
    roleId: sql`m.role_id`,
    roleName: role,
    isActive: sql`m.active`,
    isErased: erased,
    authProvider: sql`u.auth_provider`,
    oktaId: sql`u.okta_id`,
    requirePasswordChange: sql`u.require_password_change`,
    isLocked: locked,
    lockedUntil: sql`CASE WHEN ${locked} THEN ${lockedUntil} END`,
    failedLoginAttempts: failures,
    lastLoginAt: sql`u.last_login_at`,
    revision: sql`u.revision`,
    createdAt: sql`u.created_at`,
    updatedAt: sql`u.updated_at`,
  } satisfies Record<keyof UserView, Sql>;
  return {
    from: sql`identity.users u JOIN ${tables('members')} m ON m.user_id = u.id`,
    where: sql`true`,
    columns,
    fields: fieldMap(USER_FIELDS, columns, {}),
    search: [sql`u.username`, sql`u.email`, sql`u.display_name`, sql`concat_ws(' ', u.first_name, u.last_name)`],
    id: sql`u.id`,
    defaultSort: { sql: sql`u.username`, dataType: 'string', order: 'ASC' },
  };
}

function roleList(tables: Tables): ListDefinition {
  const count = sql`(SELECT count(*) FROM ${tables('members')} m WHERE m.role_id = r.id)`;
  const columns = {
    id: sql`r.id`,
    name: sql`r.name`,
    description: sql`r.description`,
    routes: sql`r.routes`,
    abilities: sql`r.abilities`,
    userCount: count,
    revision: sql`r.revision`,
    createdAt: sql`r.created_at`,
    updatedAt: sql`r.updated_at`,
  };
  return {
    from: sql`${tables('roles')} r`,
    where: sql`true`,
    columns,
    fields: fieldMap(ROLE_FIELDS, columns, {}),
    search: [sql`r.name`, sql`r.description`],
    id: sql`r.id`,
    defaultSort: { sql: sql`r.id`, order: 'ASC' },
  };
}

function groupList(tables: Tables): ListDefinition {
  const count = sql`cardinality(g.member_ids)`;
  const columns = {
    id: sql`g.id`,
    name: sql`g.name`,
    description: sql`g.description`,
    memberIds: sql`g.member_ids`,
    memberCount: count,
    revision: sql`g.revision`,
    createdAt: sql`g.created_at`,
    updatedAt: sql`g.updated_at`,
  };
  return {
    from: sql`${tables('groups')} g`,
    where: sql`true`,
    columns,
    fields: fieldMap(GROUP_FIELDS, columns, {}),
    search: [sql`g.name`, sql`g.description`],
    id: sql`g.id`,
    defaultSort: { sql: sql`g.name`, dataType: 'string', order: 'ASC' },
  };
}

async function readCurrentUser(readModels: QueryContext['readModels'], request: ApiRequest): Promise<ApiAnswer> {
  const { principal, access } = request;
  const found = await readModels.read<Profile>(
    {},
    () => sql`SELECT username, email, display_name AS "displayName", auth_provider AS "authProvider",
      require_password_change AS "requirePasswordChange"
    FROM identity.users WHERE id = ${principal.userId}`,
  );
  const profile = found.rows[0];
  const member = access.users.get(principal.userId);
  if (!profile || !member) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
  const role = access.roles.get(member.roleId);
  const user: CurrentUser = {
    id: principal.userId,
    ...profile,
    roleId: member.roleId,
    roleName: role?.name ?? '',
    isAdmin: isAdministrator(access, principal.userId),
    routes: role?.routes ?? [],
    permissions: role?.abilities ?? [],
  };
  return { body: user, position: found.position, headers: { 'Cache-Control': 'no-store' } };
}

export const identityRoutes = ({ readModels }: QueryContext): Route[] => [
  // The dialog that changes an initial password shows the name of the user, so this route is allowed before the change.
  route(
    'get',
    '/api/user',
    { person: true, beforePasswordChange: true },
    { summary: 'Read the signed-in user', hasPast: false, answers: { 200: CurrentUser } },
    (request) => readCurrentUser(readModels, request),
  ),

  route(
    'get',
    '/api/users',
    { administrator: true },
    { summary: 'List the users', hasPast: false, answers: { 200: pageOf(UserView) }, query: ListQuery },
    (request) => listJson(readModels, request, userList),
  ),

  // Open to every signed-in user: lists contain ids of users, and pages show the names.
  route(
    'get',
    '/api/users/names',
    { person: true },
    {
      summary: 'Read the names of users by their ids',
      answers: { 200: z.array(PersonName) },
      example: { query: { ids: '1,2' } },
      query: NamesQuery,
    },
    async ({ query }) => {
      const found = await readUserNames(readModels, parseIds(query.ids, NAMES_MAX));
      return answerJson(found, found.json);
    },
  ),

  route(
    'get',
    '/api/users/directory',
    { person: true },
    {
      summary: 'Find active users and groups by name',
      answers: {
        200: z.object({ users: z.array(PersonName), groups: z.array(z.object({ id: z.number(), name: z.string() })) }),
      },
      example: { query: { q: 'a' } },
      query: DirectoryQuery,
    },
    async ({ query, access }) => {
      const q = query.q.trim().slice(0, 200);
      const active = [...access.users].flatMap(([id, user]) => (user.active ? [id] : []));
      const beginning = `${escapeLike(q)}%`;
      const people = await readModels.read<PersonName>(
        {},
        () => sql`SELECT id, username, display_name AS "displayName" FROM identity.users
        WHERE id = ANY(${active}::bigint[]) AND (username ILIKE ${beginning} OR display_name ILIKE ${beginning}
          OR display_name ILIKE ${`% ${beginning}`} OR last_name ILIKE ${beginning})
        ORDER BY lower(coalesce(display_name, username)), id LIMIT ${DIRECTORY_SHOWN}`,
      );
      const groups = [...access.groups.values()]
        .filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
        .slice(0, DIRECTORY_SHOWN)
        .map(({ groupId, name }) => ({ id: groupId, name }));
      return answer(people, { users: people.rows, groups });
    },
  ),

  route(
    'get',
    '/api/users/:id',
    { administrator: true },
    { summary: 'Read a user', hasPast: false, answers: { 200: UserDetails } },
    async (request) => {
      const { access } = request;
      const id = idParam(request);
      const found = await readModels.read<Omit<UserDetails, 'groups'>>(request, (tables) => {
        const list = userList(tables);
        const columns = { ...list.columns, activeApiKeys: ACTIVE_API_KEYS, openSessions: OPEN_SESSIONS };
        return oneRow({ ...list, columns }, sql`u.id = ${id}`);
      });
      const groups = [...(access.groupsOf.get(id) ?? [])]
        .map((groupId) => ({ id: groupId, name: access.groups.get(groupId)?.name ?? '' }))
        .sort((a, b) => a.name.localeCompare(b.name));
      const details: UserDetails = { ...found.one(), groups };
      return answer(found, details);
    },
  ),

  route(
    'get',
    '/api/roles',
    { administrator: true },
    { summary: 'List the roles', hasPast: false, answers: { 200: pageOf(RoleView) }, query: ListQuery },
    (request) => listJson(readModels, request, roleList),
  ),

  route(
    'get',
    '/api/groups',
    { administrator: true },
    { summary: 'List the groups', hasPast: false, answers: { 200: pageOf(GroupView) }, query: ListQuery },
    (request) => listJson(readModels, request, groupList),
  ),

  route(
    'get',
    '/api/groups/:id/members',
    { administrator: true },
    {
      summary: 'List the members of a group',
      hasPast: false,
      answers: { 200: pageOf(GroupMember).extend({ revision: z.number() }) },
    },
    async (request) => {
      const id = idParam(request);
      const group = await readModels.read<{ revision: number }>(
        request,
        (tables) => sql`SELECT g.revision FROM ${tables('groups')} g WHERE g.id = ${id}`,
      );
      const { revision } = group.one();
      const { rows: items } = await readModels.read<GroupMember>(
        request,
        (tables) => sql`SELECT concat(g.id, '-', u.id) AS id, g.id AS "groupId", u.id AS "userId", u.username,
          u.display_name AS "displayName", m.active AS "isActive", joined."createdAt", joined."createdAt" AS "updatedAt"
        FROM ${tables('groups')} g
        CROSS JOIN LATERAL jsonb_to_recordset(g.memberships) AS joined("userId" bigint, "createdAt" timestamptz)
        JOIN identity.users u ON u.id = joined."userId" JOIN ${tables('members')} m ON m.user_id = u.id WHERE g.id = ${id}
        ORDER BY lower(coalesce(u.display_name, u.username)), u.id`,
      );
      const counts = { page: 1, pageSize: items.length, total: items.length };
      return answer(group, { items, ...counts, revision, position: group.position });
    },
  ),
];
