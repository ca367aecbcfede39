/** Parts of the answers to a sign-in and a sign-out: cookies and the current user. */
import { type AccessState, type CurrentUser, isAdministrator, Refusal } from '@rdm/contracts';
import { type ApiRequest, cookieName, type Queryable, readCookie, signSession } from '@rdm/platform';
import { DEVICE_DAYS } from './devices.ts';

export interface Cookies {
  sessionSecret: string;
  /** The maximum lifetime of a session, regardless of activity. */
  sessionHours: number;
  publicUrl: string;
}

type WithResponse = Pick<ApiRequest, 'response'>;

/** The name of the device cookie; with TLS it has the prefix `__Host-`, like the session cookie. */
const deviceCookie = ({ publicUrl }: Cookies) => cookieName(publicUrl).replace('session', 'device');

function setCookie({ response }: WithResponse, { publicUrl }: Cookies, cookie: string, seconds: number): void {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  response.append('Set-Cookie', `${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`);
}

export function setSessionCookie(request: WithResponse, cookies: Cookies, sessionId: string): void {
  const token = signSession(sessionId, cookies.sessionSecret, cookies.sessionHours);
  setCookie(request, cookies, `${cookieName(cookies.publicUrl)}=${token}`, Math.ceil(cookies.sessionHours * 3_600));
}

export const clearSessionCookie = (request: WithResponse, cookies: Cookies): void =>
  setCookie(request, cookies, `${cookieName(cookies.publicUrl)}=`, 0);

/** Sets the device cookie, which outlives the session. */
export const setDeviceCookie = (request: WithResponse, cookies: Cookies, token: string): void =>
  setCookie(request, cookies, `${deviceCookie(cookies)}=${token}`, DEVICE_DAYS * 86_400);

export const deviceTokenOf = (request: Pick<ApiRequest, 'raw'>, cookies: Cookies): string | undefined =>
  readCookie(request.raw.get('Cookie'), deviceCookie(cookies));

/** The signed-in user, in the format of GET /api/user. */
export async function currentUser(db: Queryable, access: AccessState, userId: number): Promise<CurrentUser> {
  const { rows } = await db.query<{
    id: number;
    username: string;
    email: string;
    display_name: string | null;
    auth_provider: string;
    require_password_change: boolean;
  }>('SELECT * FROM identity.users WHERE id = $1', [userId]);
  const user = rows[0];
  const accessUser = access.users.get(userId);
  const role = accessUser && access.roles.get(accessUser.roleId);
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
