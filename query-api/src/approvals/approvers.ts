/** Lists the users who may decide what the caller submits: other users with APPROVER on the source who may open the dashboard. */
import {
  ApproversView,
  allowedRoutes,
  hasLevel,
  isActive,
  isAdministrator,
  levelOnDataSet,
  mayOpen,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { readUserNames } from '../access/user-names.ts';
import { levelOrNotFound, viewerOf } from '../access/viewer.ts';
import type { QueryContext } from '../query-context.ts';
import { refuseAsOf } from '../read-models/as-of.ts';
import { answer } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';

const ApproversQuery = z.object({
  kind: z.enum(['crosswalk', 'relationship']).describe('Whether `id` is that of a crosswalk or of a relationship.'),
  id: z.coerce.number().int().positive().describe('The id of the crosswalk or relationship.'),
});

/** The path of the approvals dashboard. */
const APPROVALS = '/approvals';

export const approverRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/approvals/approvers',
    { person: true },
    {
      summary: 'List the users who may decide what the caller submits',
      example: { query: { kind: 'crosswalk', id: 1 } },
      answers: { 200: ApproversView },
      errors: ['NOT_FOUND'],
      query: ApproversQuery,
    },
    async (request) => {
      refuseAsOf(request, 'The approvers', 'have');
      const { kind, id } = request.query;
      const { access } = request;
      const found = await readModels.read<{ id: number; createdBy: number | null }>(request, (tables) => {
        const parent =
          kind === 'crosswalk'
            ? sql`SELECT c.source_system_id FROM ${tables('crosswalk_mappings')} c WHERE c.id = ${id}::bigint`
            : sql`SELECT r.source_data_set_id FROM ${tables('relationships')} r WHERE r.id = ${id}::bigint`;
        return sql`SELECT d.id, d.created_by AS "createdBy" FROM ${tables('reference_data_sets')} d WHERE d.id = (${parent})`;
      });
      const source = found.one();
      levelOrNotFound(viewerOf(request), source);
      const others = [...access.users.keys()].filter(
        (userId) =>
          userId !== request.principal.userId &&
          isActive(access, userId) &&
          hasLevel(levelOnDataSet(access, userId, source), 'APPROVER') &&
          mayOpen(APPROVALS, { isAdmin: isAdministrator(access, userId), routes: allowedRoutes(access, userId) }),
      );
      const ids = others.filter((userId) => !isAdministrator(access, userId));
      const named = await readUserNames(readModels, ids);
      return answer(found, {
        approvers: named.rows.map(({ username, displayName }) => displayName ?? username).sort(),
        administrators: others.length - ids.length,
      } satisfies ApproversView);
    },
  ),
];
