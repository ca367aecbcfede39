/**
 * Lists the other users who may decide what the caller submits: with APPROVER on the source, READ on the target and the
 * permission for the dashboard. Administrators are only counted.
 */
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
import { answer } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

const ApproversQuery = z.object({
  kind: z.enum(['crosswalk', 'relationship']).describe('Whether `id` is that of a crosswalk or of a relationship.'),
  id: z.coerce.number().int().positive().describe('The id of the crosswalk or relationship.'),
});

/** The properties of a data set that decide the level of a user on it. */
interface EndDataSet {
  id: number;
  createdBy: number | null;
}

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
      const { kind, id } = request.query;
      const { access } = request;
      const found = await readModels.read<{ source: EndDataSet; target: EndDataSet }>(request, (tables) => {
        const [definitions, source, target] =
          kind === 'crosswalk'
            ? [tables('crosswalk_mappings'), sql`d.source_system_id`, sql`d.target_system_id`]
            : [tables('relationships'), sql`d.source_data_set_id`, sql`d.target_data_set_id`];
        const toEnd = (end: Sql) => sql`json_build_object('id', ${end}.id, 'createdBy', ${end}.created_by)`;
        return sql`SELECT ${toEnd(sql`s`)} AS source, ${toEnd(sql`t`)} AS target FROM ${definitions} d
          JOIN ${tables('reference_data_sets')} s ON s.id = ${source}
          JOIN ${tables('reference_data_sets')} t ON t.id = ${target}
          WHERE d.id = ${id}::bigint`;
      });
      const { source, target } = found.one();
      levelOrNotFound(viewerOf(request), source);
      levelOrNotFound(viewerOf(request), target);
      const others = [...access.users.keys()].filter(
        (userId) =>
          userId !== request.principal.userId &&
          isActive(access, userId) &&
          hasLevel(levelOnDataSet(access, userId, source), 'APPROVER') &&
          hasLevel(levelOnDataSet(access, userId, target), 'READ') &&
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
