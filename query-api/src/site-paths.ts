/** Every route of the site with its guard, and whether somebody may open it. */
import {
  ADMIN_ROUTES,
  FREE_ROUTES,
  GRANTABLE_ROUTES,
  isAdministrator,
  mayOpen,
  PUBLIC_ROUTES,
  permissionOf,
  Refusal,
  ROUTE_ALIASES,
  type SitePath,
  type SitePathsView,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';

type Guarded = Omit<SitePath, 'allowed'>;

const ALIASES = Object.keys(ROUTE_ALIASES);
const guardOf = (path: string): Guarded['guard'] =>
  (ADMIN_ROUTES as readonly string[]).includes(permissionOf(path)) || path.startsWith('/admin/')
    ? 'administrator'
    : 'permission';

const PATHS: readonly Guarded[] = [
  ...PUBLIC_ROUTES.map((path) => ({ path, guard: 'public' as const, permission: null })),
  ...FREE_ROUTES.map((path) => ({ path, guard: 'signed-in' as const, permission: null })),
  ...[...GRANTABLE_ROUTES, ...ADMIN_ROUTES, ...ALIASES].map((path) => {
    const guard = guardOf(path);
    return { path, guard, permission: guard === 'permission' ? permissionOf(path) : null };
  }),
].sort((a, b) => (a.path < b.path ? -1 : 1));

const SitePathQuery = z.object({ userId: z.coerce.number().int().positive().optional() });

export const sitePathRoutes = (): Route[] => [
  // Administrators may ask for anybody, others for themselves.
  route('get', '/api/site-paths', { person: true }, { query: SitePathQuery }, async ({ query, principal, access }) => {
    const userId = query.userId ?? principal.userId;
    if (userId !== principal.userId && !isAdministrator(access, principal.userId)) {
      throw new Refusal('FORBIDDEN', 'This needs an administrator');
    }
    const user = access.users.get(userId);
    if (!user) throw new Refusal('NOT_FOUND', 'There is no such user');
    const may = { isAdmin: isAdministrator(access, userId), routes: access.roles.get(user.roleId)?.routes ?? [] };
    const items = PATHS.map((each) => ({
      ...each,
      allowed: each.guard === 'public' || (user.active && mayOpen(each.path, may)),
    }));
    return { body: { userId, items } satisfies SitePathsView };
  }),
];
