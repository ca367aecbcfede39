/** Users, roles and groups, and who the caller is. */
import {
  type CurrentUser,
  isAdministrator,
  ListQuery,
  PASSWORD_MIN_LENGTH,
  type PasswordRules,
  type PersonName,
  Refusal,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { escapeLike } from './filter/compile.ts';
import type { Floor } from './floor.ts';
import { fieldMap, type ListDefinition, listJson } from './list.ts';
import { idList, peopleNamed } from './people.ts';
import { answer, answerJson, type Tables } from './read-models.ts';
import { sql } from './sql.ts';

const NAMES_MAX = 1_000;
const DIRECTORY_SHOWN = 20;

type Profile = Omit<CurrentUser, 'id' | 'roleId' | 'roleName' | 'isAdmin' | 'routes' | 'permissions'>;

/** Profiles of the vault, with role and activity as access decided them. */
function users(tables: Tables): ListDefinition {
  const role = sql`(SELECT r.name FROM ${tables('roles')} r WHERE r.id = m.role_id)`;
  const locked = sql`coalesce(u.locked_until > now(), false)`;
  return {
    from: sql`identity.users u JOIN ${tables('members')} m ON m.user_id = u.id`,
    where: sql`true`,
    columns: {
      id: sql`u.id`,
      username: sql`u.username`,
      email: sql`u.email`,
      firstName: sql`u.first_name`,
      lastName: sql`u.last_name`,
      displayName: sql`u.display_name`,
      phoneNumber: sql`u.phone_number`,
      department: sql`u.department`,
      jobTitle: sql`u.job_title`,
      roleId: sql`m.role_id`,
      roleName: role,
      isActive: sql`m.active`,
      authProvider: sql`u.auth_provider`,
      requirePasswordChange: sql`u.require_password_change`,
      isLocked: locked,
      lockedUntil: sql`u.locked_until`,
      failedLoginAttempts: sql`u.failed_login_attempts`,
      lastLoginAt: sql`u.last_login_at`,
      createdAt: sql`u.created_at`,
      updatedAt: sql`u.updated_at`,
    },
    always: ['id'],
    fields: fieldMap({
      id: { sql: sql`u.id::numeric`, dataType: 'number', label: 'Id' },
      username: { sql: sql`u.username`, dataType: 'string', label: 'User name' },
      email: { sql: sql`u.email`, dataType: 'string', label: 'E-mail' },
      displayName: { sql: sql`u.display_name`, dataType: 'string', label: 'Name' },
      department: { sql: sql`u.department`, dataType: 'string', label: 'Department' },
      roleId: { sql: sql`m.role_id::numeric`, dataType: 'number', label: 'Role id' },
      roleName: { sql: role, dataType: 'string', label: 'Role' },
      isActive: { sql: sql`m.active`, dataType: 'boolean', label: 'Active' },
      isLocked: { sql: locked, dataType: 'boolean', label: 'Locked' },
      authProvider: { sql: sql`u.auth_provider`, dataType: 'string', label: 'Provider' },
      requirePasswordChange: {
        sql: sql`u.require_password_change`,
        dataType: 'boolean',
        label: 'Must change password',
      },
      lastLoginAt: { sql: sql`u.last_login_at`, dataType: 'datetime', label: 'Last sign-in' },
      createdAt: { sql: sql`u.created_at`, dataType: 'datetime', label: 'Created' },
    }),
    search: [sql`u.username`, sql`u.email`, sql`u.display_name`, sql`concat_ws(' ', u.first_name, u.last_name)`],
    id: sql`u.id`,
    defaultSort: { sql: sql`u.username`, dataType: 'string', order: 'ASC' },
  };
}

function roles(tables: Tables): ListDefinition {
  const count = sql`(SELECT count(*) FROM ${tables('members')} m WHERE m.role_id = r.id)`;
  return {
    from: sql`${tables('roles')} r`,
    where: sql`true`,
    columns: {
      id: sql`r.id`,
      name: sql`r.name`,
      description: sql`r.description`,
      routes: sql`r.routes`,
      abilities: sql`r.abilities`,
      userCount: count,
      createdAt: sql`r.created_at`,
      updatedAt: sql`r.updated_at`,
    },
    always: ['id'],
    fields: fieldMap({
      id: { sql: sql`r.id::numeric`, dataType: 'number', label: 'Id' },
      name: { sql: sql`r.name`, dataType: 'string', label: 'Name' },
      description: { sql: sql`r.description`, dataType: 'string', label: 'Description' },
      routes: { sql: sql`to_jsonb(r.routes)`, dataType: 'array', label: 'Routes' },
      userCount: { sql: sql`${count}::numeric`, dataType: 'number', label: 'Users' },
      updatedAt: { sql: sql`r.updated_at`, dataType: 'datetime', label: 'Updated' },
    }),
    search: [sql`r.name`, sql`r.description`],
    id: sql`r.id`,
    defaultSort: { sql: sql`r.id`, order: 'ASC' },
  };
}

function groups(tables: Tables): ListDefinition {
  const count = sql`cardinality(g.member_ids)`;
  return {
    from: sql`${tables('groups')} g`,
    where: sql`true`,
    columns: {
      id: sql`g.id`,
      name: sql`g.name`,
      description: sql`g.description`,
      memberIds: sql`g.member_ids`,
      memberCount: count,
      revision: sql`g.revision`,
      createdAt: sql`g.created_at`,
      updatedAt: sql`g.updated_at`,
    },
    fields: fieldMap({
      id: { sql: sql`g.id::numeric`, dataType: 'number', label: 'Id' },
      name: { sql: sql`g.name`, dataType: 'string', label: 'Name' },
      description: { sql: sql`g.description`, dataType: 'string', label: 'Description' },
      memberCount: { sql: sql`${count}::numeric`, dataType: 'number', label: 'Members' },
      updatedAt: { sql: sql`g.updated_at`, dataType: 'datetime', label: 'Updated' },
    }),
    search: [sql`g.name`, sql`g.description`],
    id: sql`g.id`,
    defaultSort: { sql: sql`g.name`, dataType: 'string', order: 'ASC' },
  };
}

export const identityRoutes = ({ readModels, settings }: Floor): Route[] => [
  // Answered to people who must change their password first: the modal needs to know who they are.
  route('get', '/api/user', { signedIn: true, whileFlagged: true }, {}, async ({ principal, access }) => {
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
  }),

  route('get', '/api/auth/config', { public: true }, {}, async () => {
    const passwordRules: PasswordRules = {
      minLength: PASSWORD_MIN_LENGTH,
      specialCharacter: settings.PASSWORD_SPECIAL_CHARACTER === 'required',
    };
    return { body: { providers: [], registration: settings.REGISTRATION, passwordRules } };
  }),

  route('get', '/api/users', { administrator: true }, { query: ListQuery }, (request) =>
    listJson(readModels, request, users),
  ),

  // Names for the ids that lists carry: whoever may see an id may know whose it is.
  route('get', '/api/users/names', { signedIn: true }, {}, async ({ query }) => {
    const found = await peopleNamed(readModels, idList(query['ids'], NAMES_MAX));
    return answerJson(found, found.json);
  }),

  // For pickers of people and groups: active ones, by the beginning of any word of their name.
  route('get', '/api/users/directory', { signedIn: true }, {}, async ({ query, access }) => {
    const q = (query['q'] ?? '').trim().slice(0, 200);
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
  }),

  route('get', '/api/roles', { administrator: true }, { query: ListQuery }, (request) =>
    listJson(readModels, request, roles),
  ),

  route('get', '/api/groups', { administrator: true }, { query: ListQuery }, (request) =>
    listJson(readModels, request, groups),
  ),
];
