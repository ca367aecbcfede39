/** Signing in and out, passwords and users over HTTP. Identity commands keep neither body nor answer. */
import { randomUUID } from 'node:crypto';
import {
  ACCESS_STREAM,
  type AccessState,
  type CreateUser,
  type CurrentUser,
  changePasswordSchema,
  createUserSchema,
  isAdministrator,
  Login,
  type PasswordRules,
  Refusal,
  SESSION_ABSOLUTE_HOURS,
  streams,
} from '@rdm/contracts';
import { type ApiRequest, cookieName, type Pool, type Queryable, type Route, route, signSession } from '@rdm/platform';
import { requireAdministrator } from '../authorise.ts';
import { type Commands, command } from '../commands.ts';
import { kinds } from '../kinds.ts';
import { registerUser } from './decider.ts';
import { changePassword, endSession, forgetUser, keepAlive, signIn, storeUser } from './vault.ts';

export interface IdentityDependencies {
  commands: Commands;
  pool: Pool;
  sessionSecret: string;
  publicUrl: string;
  passwordRules: PasswordRules;
}

const createUser = command<{ user: CreateUser }>(
  'CreateUser',
  async (x, { user }) => {
    await requireAdministrator(x);
    const id = await x.allocateOne('user_ids');
    await storeUser(x.pool, id, user);
    try {
      await x.change(kinds.access, ACCESS_STREAM, [], (access) => registerUser(access, id, user.roleId));
    } catch (error) {
      // Nobody: the name and the address are free again.
      if (error instanceof Refusal) await forgetUser(x.pool, id);
      throw error;
    }
    return { status: 201, body: { id, username: user.username } };
  },
  { keep: false },
);

/** The signed-in person, as GET /api/user shows them too. */
async function currentUser(db: Queryable, access: AccessState, userId: number): Promise<CurrentUser> {
  const { rows } = await db.query<{
    id: number;
    username: string;
    email: string;
    display_name: string | null;
    auth_provider: string;
    require_password_change: boolean;
  }>('SELECT * FROM identity.users WHERE id = $1', [userId]);
  const user = rows[0];
  const known = access.users.get(userId);
  const role = known && access.roles.get(known.roleId);
  if (!user || !role) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    displayName: user.display_name,
    roleId: role.roleId,
    roleName: role.name,
    isAdmin: isAdministrator(access, userId),
    routes: role.routes,
    permissions: role.abilities,
    authProvider: user.auth_provider,
    requirePasswordChange: user.require_password_change,
  };
}

function sessionCookie(deps: IdentityDependencies, token: string, seconds: number): string {
  const secure = deps.publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(deps.publicUrl)}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

const callerOf = ({ ipAddress, userAgent }: Pick<ApiRequest, 'ipAddress' | 'userAgent'>) => ({ ipAddress, userAgent });

export function identityRoutes(deps: IdentityDependencies): Route[] {
  const { commands, pool } = deps;
  commands.register([createUser]);
  const flagged = { signedIn: true, whileFlagged: true } as const;
  return [
    route('post', '/api/login', { public: true }, { body: Login }, async (request) => {
      const { username, password } = request.body;
      const isActive = (userId: number) => request.access.users.get(userId)?.active === true;
      const opened = await signIn(pool, username, password, isActive, callerOf(request));
      const token = signSession(opened.sessionId, deps.sessionSecret);
      return {
        body: await currentUser(pool, request.access, opened.userId),
        headers: { 'Set-Cookie': sessionCookie(deps, token, SESSION_ABSOLUTE_HOURS * 3_600) },
      };
    }),
    route('post', '/api/logout', flagged, {}, async (request) => {
      await endSession(pool, request.principal.sessionId);
      return { body: { success: true }, headers: { 'Set-Cookie': sessionCookie(deps, '', 0) } };
    }),
    route('post', '/api/session/heartbeat', { signedIn: true }, {}, async (request) => {
      await keepAlive(pool, request.principal.sessionId);
      return { status: 204 };
    }),
    route(
      'post',
      '/api/change-password',
      flagged,
      { body: changePasswordSchema(deps.passwordRules) },
      async (request) => {
        const { userId, sessionId } = request.principal;
        const commandId = randomUUID();
        await changePassword(pool, userId, request.body.currentPassword, request.body.newPassword, sessionId, {
          eventId: commandId,
          stream: streams.user(userId),
          type: 'PasswordChanged',
          data: { userId },
          metadata: {
            $correlationId: request.correlationId,
            $causationId: commandId,
            actorId: userId,
            requestId: request.requestId,
            sourceType: request.sourceType,
            dataSetIds: [],
            occurredAt: new Date().toISOString(),
          },
        });
        return { body: { success: true } };
      },
    ),
    route('post', '/api/users', { administrator: true }, { body: createUserSchema(deps.passwordRules) }, (request) =>
      commands.handle(createUser, request, { user: request.body }),
    ),
  ];
}
