/** Lists the last errors of the services. Users who are no administrators see only the errors of their own requests. */
import { ERROR_FIELDS, ErrorView, ListQuery, pageOf } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { listJson } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** Condition: the viewer may see the error `e`. */
export const visibleErrors = ({ isAdmin, userId }: Pick<Viewer, 'isAdmin' | 'userId'>): Sql =>
  isAdmin ? sql`true` : sql`e.actor_id = ${userId}`;

export const errorList = (viewer: Viewer): ListDefinition => {
  const columns = {
    id: sql`e.id`,
    at: sql`e.at`,
    service: sql`e.service`,
    kind: sql`e.kind`,
    route: sql`e.route`,
    status: sql`e.status`,
    code: sql`e.code`,
    message: sql`e.message`,
    correlationId: sql`e.correlation_id`,
    actorId: sql`e.actor_id`,
  } satisfies Record<keyof ErrorView, Sql>;
  return {
    from: sql`telemetry.errors e`,
    where: visibleErrors(viewer),
    columns,
    alwaysSelected: ['id'],
    fields: fieldMap(ERROR_FIELDS, columns, {}),
    search: [sql`e.route`, sql`e.code`, sql`e.message`, sql`e.correlation_id`],
    id: sql`e.id`,
    isFetchedById: true,
    defaultSort: { sql: sql`e.id`, order: 'DESC' },
  };
};

export const errorRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/diagnostics/errors',
    { person: true },
    {
      summary: 'List the errors of the services that the caller may see',
      hasPast: false,
      answers: { 200: pageOf(ErrorView) },
      query: ListQuery,
    },
    (request) => {
      const viewer = viewerOf(request);
      return listJson(readModels, request, () => errorList(viewer));
    },
  ),
];
