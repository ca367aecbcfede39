/** Route that resolves `asOf` to the seq of an event and its instant. */
import { MomentQuery, MomentView } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import { instantOf } from './as-of.ts';
import { answer } from './read-models.ts';
import { sql } from './sql.ts';

export const momentRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/moment',
    { person: true },
    {
      summary: 'Resolve a value of `asOf` to the seq of an event and its instant',
      answers: { 200: MomentView },
      example: { query: { asOf: 'seq:1' } },
      query: MomentQuery,
    },
    async (request) => {
      const found = await readModels.read<MomentView>(
        request,
        // Only the last event of an instant has a row: use the first row at or after the seq.
        ({ asOf = 0 }) => sql`SELECT ${asOf}::bigint AS seq, CASE WHEN ${asOf}::bigint > 0 THEN
        (SELECT i.at FROM platform.instants i WHERE i.seq >= ${asOf}::bigint ORDER BY i.seq LIMIT 1) END AS at`,
      );
      const { seq, at } = found.one();
      return answer(found, { seq, at: instantOf(request.query.asOf) ?? at } satisfies MomentView);
    },
  ),
];
