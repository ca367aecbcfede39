/** Login attempts, for administrators: stored outside the audit chain, because they contain addresses and names. */
import { ListQuery, type LoginAttemptView } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { listJson } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { sql } from '../read-models/sql.ts';

const AttemptQuery = ListQuery.extend({ success: z.enum(['true', 'false']).optional() });

const attemptList = ({ success }: z.infer<typeof AttemptQuery>): ListDefinition => ({
  from: sql`identity.login_attempts a`,
  where: success === undefined ? sql`true` : sql`a.success = ${success === 'true'}`,
  columns: {
    id: sql`a.id`,
    username: sql`a.username`,
    userId: sql`a.user_id`,
    success: sql`a.success`,
    ipAddress: sql`a.ip_address`,
    userAgent: sql`a.user_agent`,
    attemptedAt: sql`a.attempted_at`,
    createdAt: sql`a.attempted_at`,
    updatedAt: sql`a.attempted_at`,
  } satisfies Record<keyof LoginAttemptView, unknown>,
  alwaysSelected: ['id'],
  fields: fieldMap({
    id: { sql: sql`a.id::numeric`, dataType: 'number', label: 'Id' },
    username: { sql: sql`a.username`, dataType: 'string', label: 'Name tried' },
    userId: { sql: sql`a.user_id::numeric`, dataType: 'number', label: 'User id' },
    success: { sql: sql`a.success`, dataType: 'boolean', label: 'Signed in' },
    ipAddress: { sql: sql`a.ip_address`, dataType: 'string', label: 'IP address' },
    userAgent: { sql: sql`a.user_agent`, dataType: 'string', label: 'Browser' },
    attemptedAt: { sql: sql`a.attempted_at`, dataType: 'datetime', label: 'Time' },
  }),
  search: [sql`a.username`, sql`a.ip_address`, sql`a.user_agent`],
  id: sql`a.id`,
  isFetchedById: true,
  defaultSort: { sql: sql`a.id`, order: 'DESC' },
});

export const loginAttemptRoutes = ({ readModels }: QueryContext): Route[] => [
  route('get', '/api/login-attempts', { administrator: true }, { query: AttemptQuery }, (request) =>
    listJson(readModels, request, () => attemptList(request.query)),
  ),
];
