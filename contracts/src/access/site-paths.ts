/** The paths of all pages. The features of the web application declare exactly one page for each path. */
import { FREE_ROUTES, isAdminRoute, isBelow, PUBLIC_ROUTES, type SitePath } from './permissions.ts';

/** The sorted paths. Their parameters have the names of specification §2. */
export const SITE_PATHS = [
  '/',
  '/account',
  '/admin/database-backup',
  '/admin/purge-data',
  '/api-keys',
  '/api-test',
  '/api-testing',
  '/approvals',
  '/audit-logs',
  '/audit-logs/replay',
  '/auth',
  '/auth/callback',
  '/change-password',
  '/collections',
  '/collections/:id',
  '/collections/:id/permissions',
  '/crosswalk/comparison/:targetDatasetId',
  '/crosswalks',
  '/crosswalks-old',
  '/crosswalks/:id',
  '/crosswalks/:id/edit',
  '/crosswalks/:id/mappings',
  '/crosswalks/create',
  '/diagnostics',
  '/documentation',
  '/filter-testing',
  '/graph-visualization',
  '/help',
  '/help/:page',
  '/manage-users',
  '/missing-mappings',
  '/monitor',
  '/onboarding',
  '/postgres-info',
  '/reference-data',
  '/reference-data/:id',
  '/reference-data/:id/deleted',
  '/reference-data/:id/edit',
  '/reference-data/:id/graph',
  '/reference-data/:id/import',
  '/reference-data/:id/instances',
  '/reference-data/:id/integrity',
  '/reference-data/create',
  '/reference-types',
  '/reference-types-debug',
  '/reference-types-list',
  '/relationship-values',
  '/relationships',
  '/relationships/:id',
  '/relationships/:id/values',
  '/relationships/create',
  '/reset-password',
  '/roles',
  '/site-paths',
  '/users',
  '/validation-test',
] as const;

/** Returns the guard of a page. */
export function guardOf(path: string): SitePath['guard'] {
  if ((PUBLIC_ROUTES as readonly string[]).includes(path)) return 'public';
  if (isAdminRoute(path)) return 'administrator';
  return path === '/' || FREE_ROUTES.some((route) => route !== '/' && isBelow(path, route))
    ? 'signed-in'
    : 'permission';
}
