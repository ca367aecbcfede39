/** Levels on collections and data sets, abilities and routes of roles, and the rules that use them. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

export const LEVELS = ['READ', 'WRITE', 'APPROVER', 'ADMIN'] as const;
export type Level = (typeof LEVELS)[number];

/** What each level allows, in addition to the levels before it. */
export const LEVEL_TEXTS: Readonly<Record<Level, string>> = {
  READ: 'view the data',
  WRITE: 'change the data and submit changes',
  APPROVER: 'approve and reject changes',
  ADMIN: 'manage the data sets and their permissions',
};

export const ABILITIES = ['types.write', 'dataSets.create', 'collections.create', 'filters.manage'] as const;
export type Ability = (typeof ABILITIES)[number];

export const ADMINISTRATOR_ROLE_ID = 1;

export const hasLevel = (level: Level | null, needed: Level): boolean =>
  level !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(needed);

export const highest = (a: Level | null, b: Level | null): Level | null =>
  a === null ? b : b === null || LEVELS.indexOf(a) >= LEVELS.indexOf(b) ? a : b;

/** Routes that only administrators may open (specification §6). */
export const ADMIN_ROUTES = [
  '/manage-users',
  '/roles',
  '/api-keys',
  '/audit-logs',
  '/admin/database-backup',
  '/admin/purge-data',
  '/api-testing',
  '/filter-testing',
] as const;

/** Routes every signed-in user may open. */
export const FREE_ROUTES = [
  '/',
  '/account',
  '/change-password',
  '/documentation',
  '/help',
  '/monitor',
  '/site-paths',
  '/diagnostics',
] as const;

/** Routes that need no sign-in. */
export const PUBLIC_ROUTES = ['/auth', '/auth/callback', '/reset-password', '/graph-visualization'] as const;

/** First segments of paths, and the route that a user needs for paths with this segment. */
export const ROUTE_ALIASES: Readonly<Record<string, string>> = {
  '/reference-types-list': '/reference-types',
  '/reference-types-debug': '/reference-types',
  '/crosswalk': '/crosswalks',
  '/crosswalks-old': '/crosswalks',
  '/missing-mappings': '/crosswalks',
  '/relationship-values': '/relationships',
  '/reference-data': '/collections',
  '/users': '/manage-users',
  '/api-test': '/api-testing',
};

/**
 * Routes that a role can have; routes with an entry in the sidebar have the order of the sidebar. `/monitor` is in the
 * list because the roles of a new installation name it, although every signed-in user may open it.
 */
export const GRANTABLE_ROUTES = [
  '/onboarding',
  '/reference-types',
  '/collections',
  '/relationships',
  '/crosswalks',
  '/approvals',
  '/monitor',
  '/validation-test',
  '/postgres-info',
] as const;

const withoutTrailingSlash = (path: string) => (path.length > 1 ? path.replace(/\/+$/, '') || '/' : path);

/** Whether the path equals the route or is below it, ignoring trailing slashes (specification §5). */
export function isBelow(path: string, route: string): boolean {
  const [p, r] = [withoutTrailingSlash(path), withoutTrailingSlash(route)];
  return p === r || p.startsWith(r === '/' ? '/' : `${r}/`);
}

/** Returns the route that a user needs for a path: the first segment, or the route that the segment is an alias of. */
export function permissionOf(path: string): string {
  const first = `/${withoutTrailingSlash(path).split('/')[1] ?? ''}`;
  return ROUTE_ALIASES[first] ?? first;
}

export const isAdminRoute = (path: string): boolean =>
  ADMIN_ROUTES.some((route) => isBelow(path, route) || permissionOf(path) === route);

/** Whether a signed-in user may open a path outside of `PUBLIC_ROUTES`. */
export function mayOpen(path: string, user: { isAdmin: boolean; routes: readonly string[] }): boolean {
  if (user.isAdmin) return true;
  if (isAdminRoute(path)) return false;
  const clean = withoutTrailingSlash(path);
  if (clean === '/' || FREE_ROUTES.some((route) => route !== '/' && isBelow(clean, route))) return true;
  return user.routes.some((route) => isBelow(permissionOf(clean), route) || isBelow(clean, route));
}

/** The requirements of pages, in words for users. */
export const GUARD_WORDS = {
  public: 'Open to everybody',
  'signed-in': 'Signed in',
  permission: 'Route of the role',
  administrator: 'Administrators',
} as const;

/** One route of the site, and whether the user may open it. */
export const SitePath = defineView(() =>
  z.object({
    path: z.string(),
    guard: z.enum(Object.keys(GUARD_WORDS) as (keyof typeof GUARD_WORDS)[]),
    permission: z.string().nullable().describe('The route that a role must include.'),
    allowed: z.boolean(),
  }),
);
export type SitePath = z.infer<typeof SitePath>;

export interface RoleSeed {
  roleId: number;
  name: string;
  description: string;
  routes: string[];
  abilities: Ability[];
}

/** Roles of a new installation. */
export const SEEDED_ROLES: readonly RoleSeed[] = [
  {
    roleId: ADMINISTRATOR_ROLE_ID,
    name: 'Administrator',
    description: 'May do everything, but never review their own changes',
    routes: ['/'],
    abilities: [...ABILITIES],
  },
  {
    roleId: 2,
    name: 'Steward',
    description: 'Keeps types, data sets and crosswalks',
    routes: [...GRANTABLE_ROUTES],
    abilities: ['types.write', 'dataSets.create', 'collections.create'],
  },
  {
    roleId: 3,
    name: 'Approver',
    description: 'Reviews what stewards submit',
    routes: GRANTABLE_ROUTES.filter((route) => route !== '/onboarding'),
    abilities: [],
  },
  {
    roleId: 4,
    name: 'Viewer',
    description: 'Reads what is shared with them',
    routes: ['/reference-types', '/collections', '/crosswalks', '/relationships', '/monitor'],
    abilities: [],
  },
];
export const VIEWER_ROLE_ID = 4;
