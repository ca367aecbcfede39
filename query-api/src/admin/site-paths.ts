/** Lists every page of the site with the rights that it needs, and whether a user may open it. */
import {
  GUARD_WORDS,
  isAdministrator,
  ListQuery,
  mayOpen,
  pageOf,
  permissionOf,
  Refusal,
  SITE_PATH_FIELDS,
  SitePath,
} from '@rdm/contracts';
import { guardOf, SITE_PATHS } from '@rdm/contracts/access/site-paths';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { listJson } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { sql } from '../read-models/sql.ts';

const PATHS: readonly Omit<SitePath, 'allowed'>[] = SITE_PATHS.map((path) => {
  const guard = guardOf(path);
  return { path, guard, permission: guard === 'permission' ? permissionOf(path) : null };
});

const SitePathQuery = ListQuery.extend({
  userId: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('The user; the caller if left out. Only administrators may name another user.'),
});

/** Passes the paths to the query as rows, so that filters work as in other lists. */
function pathList(paths: readonly SitePath[]): ListDefinition {
  const rows = paths.map((each) => ({ ...each, words: GUARD_WORDS[each.guard] }));
  const columns = {
    path: sql`p.path`,
    guard: sql`p.guard`,
    permission: sql`p.permission`,
    allowed: sql`p.allowed`,
  } satisfies Record<keyof SitePath, unknown>;
  return {
    from: sql`ROWS FROM (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS (path text, guard text, permission text, allowed boolean, words text)) WITH ORDINALITY
      AS p (path, guard, permission, allowed, words, place)`,
    where: sql`true`,
    columns,
    alwaysSelected: ['path'],
    // Filters and sorts of the guard use the words that the page shows, not the value of the API.
    fields: fieldMap(SITE_PATH_FIELDS, columns, { guard: sql`p.words` }),
    search: [sql`p.path`, sql`p.words`, sql`p.permission`],
    id: sql`p.place`,
    defaultSort: { sql: sql`p.place`, order: 'ASC' },
  };
}

export const sitePathRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/site-paths',
    { person: true },
    {
      summary: 'List the pages, and whether a user may open them',
      hasPast: false,
      errors: ['NOT_FOUND'],
      answers: { 200: pageOf(SitePath) },
      query: SitePathQuery,
    },
    async (request) => {
      const { query, principal, access } = request;
      const userId = query.userId ?? principal.userId;
      if (userId !== principal.userId && !isAdministrator(access, principal.userId)) {
        throw new Refusal('FORBIDDEN', 'This needs an administrator');
      }
      const user = access.users.get(userId);
      if (!user) throw new Refusal('NOT_FOUND', 'There is no such user');
      const permissions = {
        isAdmin: isAdministrator(access, userId),
        routes: access.roles.get(user.roleId)?.routes ?? [],
      };
      const paths = PATHS.map((each) => ({
        ...each,
        allowed: each.guard === 'public' || (user.active && mayOpen(each.path, permissions)),
      }));
      return listJson(readModels, request, () => pathList(paths));
    },
  ),
];
