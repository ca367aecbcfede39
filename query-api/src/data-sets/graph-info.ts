/**
 * Information about the database behind the graph: engine, sizes, position, and a comparison of stored counters with a
 * recount.
 */
import { GRAPH_PROJECTIONS, type GraphDrift, GraphInfo, type GraphKind } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';

const InfoQuery = z.object({
  check: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to count everything again and compare the stored counters with the result.'),
});

type GraphState = Pick<GraphInfo, 'reader' | 'builds'> & { version: string; counts: Record<GraphKind, number> };

/**
 * The query for versions, positions and sizes. Stored counters give the numbers of rows, values and mappings, because
 * counting them would be slow.
 */
function selectState(tables: Tables): Sql {
  return sql`SELECT current_setting('server_version') AS version,
    json_build_object(
      'types', (SELECT count(*) FROM ${tables('reference_data_types')}),
      'dataSets', (SELECT count(*) FROM ${tables('reference_data_sets')}),
      'instances', (SELECT coalesce(sum(k.instances), 0) FROM ${tables('data_set_counts')} k
        WHERE k.data_set_id IN (SELECT d.id FROM ${tables('reference_data_sets')} d)),
      'relationships', (SELECT count(*) FROM ${tables('relationships')}),
      'relationshipValues', (SELECT coalesce(sum(n.draft + n.pending + n.approved + n.rejected), 0)
        FROM ${tables('relationship_value_counts')} n
        WHERE n.relationship_id IN (SELECT r.id FROM ${tables('relationships')} r)),
      'crosswalks', (SELECT count(*) FROM ${tables('crosswalk_mappings')}),
      'mappings', (SELECT coalesce(sum(n.draft + n.pending + n.approved + n.rejected), 0) FROM ${tables('mapping_counts')} n
        WHERE n.crosswalk_id IN (SELECT c.id FROM ${tables('crosswalk_mappings')} c))) AS counts,
    (SELECT json_build_object('seq', r.seq, 'position', r.commit_position) FROM platform.reader r) AS reader,
    (SELECT coalesce(json_agg(json_build_object('name', b.name, 'version', b.version, 'build', b.build, 'state', b.state,
         'serving', b.serving, 'seq', b.seq, 'lag', greatest(0, r.seq - b.seq)) ORDER BY b.name, b.build), '[]')
       FROM platform.builds b, platform.reader r
      WHERE b.state <> 'RETIRED' AND b.name = ANY(${[...GRAPH_PROJECTIONS]}::text[])) AS builds`;
}

/** Returns a query per kind of counter. Each row has the id of an entity, the stored value and the recounted value. */
function comparisons(tables: Tables): Partial<Record<GraphDrift['counter'], Sql>> {
  const comparisonOf = (
    stored: Sql,
    counted: Sql,
  ) => sql`SELECT coalesce(k.id, c.id) AS id, coalesce(k.value, 0) AS stored,
    coalesce(c.value, 0) AS counted FROM (${stored}) k FULL JOIN (${counted}) c ON c.id = k.id`;
  const countsOfIds = (ids: Sql) =>
    sql`SELECT d.id, cardinality(${ids}) AS value FROM ${tables('reference_data_sets')} d`;
  return {
    rows: comparisonOf(
      sql`SELECT data_set_id AS id, instances AS value FROM ${tables('data_set_counts')}`,
      sql`SELECT data_set_id AS id, count(*) AS value FROM ${tables('instances')} WHERE NOT deleted GROUP BY 1`,
    ),
    mappings: comparisonOf(
      sql`SELECT crosswalk_id AS id, draft + pending + approved + rejected AS value FROM ${tables('mapping_counts')}`,
      sql`SELECT crosswalk_id AS id, count(*) AS value FROM ${tables('crosswalk_mapping_values')} WHERE NOT deleted GROUP BY 1`,
    ),
    mappedSources: comparisonOf(
      sql`SELECT crosswalk_id AS id, mapped_sources AS value FROM ${tables('mapping_counts')}`,
      sql`SELECT crosswalk_id AS id, count(DISTINCT source_value) AS value FROM ${tables('crosswalk_mapping_values')}
        WHERE served_target IS NOT NULL GROUP BY 1`,
    ),
    relationshipValues: comparisonOf(
      sql`SELECT relationship_id AS id, draft + pending + approved + rejected AS value FROM ${tables('relationship_value_counts')}`,
      sql`SELECT relationship_id AS id, count(*) AS value FROM ${tables('relationship_values')} WHERE NOT deleted GROUP BY 1`,
    ),
    // Compares the number of crosswalk and relationship ids that a data set stores with the number of definitions that
    // refer to it.
    dependants: comparisonOf(
      sql`SELECT id, sum(value) AS value FROM (${countsOfIds(sql`d.crosswalk_ids`)} UNION ALL ${countsOfIds(sql`d.relationship_ids`)}) each GROUP BY id`,
      sql`SELECT id, count(*) AS value FROM (
          SELECT c.source_system_id AS id, 'c' || c.id AS of FROM ${tables('crosswalk_mappings')} c
          UNION SELECT c.target_system_id, 'c' || c.id FROM ${tables('crosswalk_mappings')} c
          UNION SELECT r.source_data_set_id, 'r' || r.id FROM ${tables('relationships')} r
          UNION SELECT r.target_data_set_id, 'r' || r.id FROM ${tables('relationships')} r) each GROUP BY id`,
    ),
  };
}

function drift(tables: Tables): Sql {
  const each = Object.entries(comparisons(tables)).map(
    ([counter, comparison]) => sql`SELECT ${counter}::text AS counter, coalesce(sum(stored), 0) AS kept,
      coalesce(sum(counted), 0) AS counted, count(*) FILTER (WHERE stored <> counted) AS wrong FROM (${comparison}) compared`,
  );
  return join(each, ' UNION ALL ');
}

const NODES: readonly GraphKind[] = ['types', 'dataSets', 'instances'];
const EDGES: readonly GraphKind[] = ['relationships', 'relationshipValues', 'crosswalks', 'mappings'];

export const graphInfoRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/graph/info',
    { route: '/postgres-info' },
    { summary: 'Read the contents of the graph database', answers: { 200: GraphInfo }, query: InfoQuery },
    async (request) => {
      const readRequest = { minPosition: request.minPosition };
      const state = await readModels.read<GraphState>(readRequest, selectState);
      const { version, counts, reader, builds } = state.one();
      const countsOf = (kinds: readonly GraphKind[]) => kinds.map((kind) => ({ kind, count: counts[kind] }));
      const driftRows =
        request.query.check === 'true' ? (await readModels.read<GraphDrift>(readRequest, drift)).rows : null;
      const body: GraphInfo = {
        engine: { name: 'PostgreSQL', version },
        nodes: countsOf(NODES),
        edges: countsOf(EDGES),
        reader,
        builds,
        drift: driftRows,
      };
      return answer(state, body);
    },
  ),
];
