/**
 * The list of sign-in attempts, for administrators. The audit log has no sign-in attempts, because they contain
 * addresses and names.
 */
import { ListQuery, LOGIN_ATTEMPT_FIELDS, LoginAttemptView, pageOf } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { listJson } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { sql } from '../read-models/sql.ts';

const AttemptQuery = ListQuery.extend({
  success: z.enum(['true', 'false']).optional().describe('Only successful, or only failed attempts.'),
});

const attemptList = ({ success }: z.infer<typeof AttemptQuery>): ListDefinition => {
  const columns = {
    id: sql`a.id`,
    username: sql`a.username`,
    userId: sql`a.user_id`,
    success: sql`a.success`,
    ipAddress: sql`a.ip_address`,
    userAgent: sql`a.user_agent`,
    attemptedAt: sql`a.attempted_at`,
    createdAt: sql`a.attempted_at`,
    updatedAt: sql`a.attempted_at`,
  } satisfies Record<keyof LoginAttemptView, unknown>;
  return {
    from: sql`identity.login_attempts a`,
    where: success === undefined ? sql`true` : sql`a.success = ${success === 'true'}`,
    columns,
    alwaysSelected: ['id'],
    fields: fieldMap(LOGIN_ATTEMPT_FIELDS, columns, {}),
    search: [sql`a.username`, sql`a.ip_address`, sql`a.user_agent`],
    id: sql`a.id`,
    isFetchedById: true,
    defaultSort: { sql: sql`a.id`, order: 'DESC' },
  };
};

export const loginAttemptRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/login-attempts',
    { administrator: true },
    {
      summary: 'List the attempted sign-ins',
      hasPast: false,
      answers: { 200: pageOf(LoginAttemptView) },
      query: AttemptQuery,
    },
    (request) => listJson(readModels, request, () => attemptList(request.query)),
  ),
];
