/** What a browser gets that was signed in, however: its cookies, and who the person is. */
import { type AccessState, type CurrentUser, isAdministrator, Refusal } from '@rdm/contracts';
import { type ApiRequest, cookieName, type Queryable, readCookie, signSession } from '@rdm/platform';
import { DEVICE_DAYS } from './devices.ts';

/** What cookies are made with. */
export interface Cookies {
  sessionSecret: string;
  /** A session ends after so many, however active. */
  sessionHours: number;
  publicUrl: string;
}

type Answering = Pick<ApiRequest, 'response'>;

/** `__Host-` where TLS serves, as the session's. */
const deviceCookie = ({ publicUrl }: Cookies) => cookieName(publicUrl).replace('session', 'device');

function setCookie({ response }: Answering, { publicUrl }: Cookies, cookie: string, seconds: number): void {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  response.append('Set-Cookie', `${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`);
}

/** The browser carries the session from now on. */
export function giveSession(request: Answering, cookies: Cookies, sessionId: string): void {
  const token = signSession(sessionId, cookies.sessionSecret, cookies.sessionHours);
  setCookie(request, cookies, `${cookieName(cookies.publicUrl)}=${token}`, Math.ceil(cookies.sessionHours * 3_600));
}

export const takeSession = (request: Answering, cookies: Cookies): void =>
  setCookie(request, cookies, `${cookieName(cookies.publicUrl)}=`, 0);

/** The browser is known as one of the person's from now on, signed in or not. */
export const giveDevice = (request: Answering, cookies: Cookies, token: string): void =>
  setCookie(request, cookies, `${deviceCookie(cookies)}=${token}`, DEVICE_DAYS * 86_400);

/** What the device cookie of a request holds. */
export const deviceOf = (request: Pick<ApiRequest, 'raw'>, cookies: Cookies): string | undefined =>
  readCookie(request.raw.get('Cookie'), deviceCookie(cookies));

/** The signed-in person, as GET /api/user shows them too. */
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
