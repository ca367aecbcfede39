/** Routes of the graph: a data set with neighbours that the viewer may read, and the graph of published data sets. */
import {
  type GraphEdge,
  type GraphNode,
  GraphQuery,
  GraphView,
  NEIGHBOURS_SHOWN,
  PublicGraph,
  Refusal,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { mappingCounts } from '../entities/crosswalks.ts';
import { dataSetList, instanceCount } from '../entities/data-set-list.ts';
import { valueCounts } from '../entities/relationships.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { all, type Sql, sql } from '../read-models/sql.ts';

/** Maximum number of data sets in the public graph; further published data sets are only counted. */
const PUBLIC_NODES_MAX = 1_000;

const COUNTS = ['draft', 'pending', 'approved', 'rejected', 'served'] as const;

/** The query for the relationships and crosswalks of which the viewer may read both ends. */
function edges(tables: Tables, viewer: Viewer): Sql {
  const readable = (source: Sql, target: Sql) => viewer.hasLevelOnAll(tables, [source, target]);
  return sql`(SELECT 'relationship' AS kind, r.id, r.name, r.source_data_set_id AS source_id, r.target_data_set_id AS target_id
      FROM ${tables('relationships')} r WHERE ${readable(sql`r.source_data_set_id`, sql`r.target_data_set_id`)}
    UNION ALL
    SELECT 'crosswalk', c.id, c.name, c.source_system_id, c.target_system_id
      FROM ${tables('crosswalk_mappings')} c WHERE ${readable(sql`c.source_system_id`, sql`c.target_system_id`)})`;
}

/** The query for pairs of neighbours, in both directions of each edge: columns origin, neighbour. */
const neighbours = (
  edgeRows: Sql,
): Sql => sql`SELECT source_id AS origin, target_id AS neighbour FROM ${edgeRows} WHERE source_id <> target_id
  UNION SELECT target_id, source_id FROM ${edgeRows} WHERE source_id <> target_id`;

interface Neighbour {
  origin: number;
  neighbour: number;
  place: number;
}

/**
 * The query for the first neighbours of each expanded node, ordered by name. `expanded` maps a node to its number of
 * requested pages; the query returns the largest of these numbers of pages for every node.
 */
function selectNeighbours(tables: Tables, viewer: Viewer, expanded: ReadonlyMap<number, number>): Sql {
  const ids = [...expanded.keys()];
  const neighboursMax = Math.max(...expanded.values()) * NEIGHBOURS_SHOWN;
  return sql`WITH edges AS MATERIALIZED (SELECT * FROM ${edges(tables, viewer)} e
      WHERE e.source_id = ANY(${ids}::bigint[]) OR e.target_id = ANY(${ids}::bigint[]))
    SELECT origin, neighbour, place FROM (
      SELECT n.origin, n.neighbour, row_number() OVER (PARTITION BY n.origin ORDER BY lower(d.name), d.id) AS place
        FROM (${neighbours(sql`edges`)}) n JOIN ${tables('reference_data_sets')} d ON d.id = n.neighbour
       WHERE n.origin = ANY(${ids}::bigint[])) ranked
     WHERE place <= ${neighboursMax}::integer ORDER BY origin, place`;
}

/**
 * Returns the nodes that are reachable from the data set through expanded nodes. An expanded node that is not reachable adds
 * no nodes.
 */
function reachableNodes(id: number, expanded: ReadonlyMap<number, number>, pairs: readonly Neighbour[]): number[] {
  const nodeIds = new Set([id]);
  for (let before = 0; before < nodeIds.size; ) {
    before = nodeIds.size;
    for (const [origin, pages] of expanded) {
      if (!nodeIds.has(origin)) continue;
      for (const { neighbour } of pairs.filter(
        (each) => each.origin === origin && each.place <= pages * NEIGHBOURS_SHOWN,
      )) {
        nodeIds.add(neighbour);
      }
    }
  }
  return [...nodeIds];
}

type GraphRows = { nodes: GraphNode[]; edges: (Omit<GraphEdge, 'counts'> & { counts: GraphEdge['counts'] | null })[] };

/** The query for the nodes and the edges between them. `more` counts the neighbours of a node outside the graph. */
function selectGraph(tables: Tables, viewer: Viewer, ids: readonly number[]): Sql {
  const { from, where } = dataSetList(tables, viewer);
  const counts = sql`json_build_object('draft', coalesce(n.draft, 0), 'pending', coalesce(n.pending, 0),
      'approved', coalesce(n.approved, 0), 'rejected', coalesce(n.rejected, 0), 'served', coalesce(n.served, 0)) AS counts`;
  const counted = sql`SELECT 'crosswalk' AS kind, n.crosswalk_id AS id, ${counts} FROM ${mappingCounts(tables)} n
    UNION ALL SELECT 'relationship', n.relationship_id, ${counts} FROM ${valueCounts(tables)} n`;
  return sql`WITH edges AS MATERIALIZED (SELECT * FROM ${edges(tables, viewer)} e
      WHERE e.source_id = ANY(${ids}::bigint[]) OR e.target_id = ANY(${ids}::bigint[])),
    beyond AS (SELECT n.origin, count(*) AS more FROM (${neighbours(sql`edges`)}) n
      WHERE NOT n.neighbour = ANY(${ids}::bigint[]) GROUP BY n.origin),
    nodes AS (
      SELECT d.id, d.name, t.name AS "typeName", ${instanceCount(tables)} AS "instanceCount", d.is_public AS "isPublic",
          coalesce(b.more, 0) AS more
        FROM ${from} LEFT JOIN beyond b ON b.origin = d.id WHERE ${where} AND d.id = ANY(${ids}::bigint[])),
    drawn AS (
      SELECT e.kind, e.id, e.name, e.source_id AS "sourceId", e.target_id AS "targetId", k.counts
        FROM edges e LEFT JOIN (${counted}) k ON k.kind = e.kind AND k.id = e.id
       WHERE e.source_id = ANY(${ids}::bigint[]) AND e.target_id = ANY(${ids}::bigint[]))
    SELECT (SELECT coalesce(json_agg(n ORDER BY lower(n.name), n.id), '[]') FROM nodes n) AS nodes,
           (SELECT coalesce(json_agg(e ORDER BY e.name, e.kind, e.id), '[]') FROM drawn e) AS edges`;
}

const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, 0])) as GraphEdge['counts'];

/**
 * The query for the public graph: names and sizes of published data sets, and the number of served values or mappings
 * between each pair of data sets. The graph reveals no pending values and no names of crosswalks, relationships, types
 * or users. It cannot show the past, because a published data set was possibly not published in the past.
 */
function publicGraph(tables: Tables): Sql {
  const ends = (source: Sql, target: Sql) =>
    all([sql`${source} IN (SELECT id FROM shown)`, sql`${target} IN (SELECT id FROM shown)`]);
  return sql`WITH published AS (SELECT d.id, d.name FROM ${tables('reference_data_sets')} d WHERE d.is_public),
    shown AS (SELECT * FROM published ORDER BY lower(name), id LIMIT ${PUBLIC_NODES_MAX}::integer),
    joined AS (
      SELECT 'relationship' AS kind, r.source_data_set_id AS source_id, r.target_data_set_id AS target_id,
          coalesce(n.served, 0) AS count
        FROM ${tables('relationships')} r
        LEFT JOIN ${tables('relationship_value_counts')} n ON n.relationship_id = r.id
       WHERE ${ends(sql`r.source_data_set_id`, sql`r.target_data_set_id`)}
      UNION ALL
      SELECT 'crosswalk', c.source_system_id, c.target_system_id, coalesce(n.served, 0)
        FROM ${tables('crosswalk_mappings')} c LEFT JOIN ${tables('mapping_counts')} n ON n.crosswalk_id = c.id
       WHERE c.served IS NOT NULL AND ${ends(sql`c.source_system_id`, sql`c.target_system_id`)})
    SELECT
      (SELECT coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'instanceCount', coalesce(k.instances, 0))
          ORDER BY lower(s.name), s.id), '[]')
         FROM shown s LEFT JOIN ${tables('data_set_counts')} k ON k.data_set_id = s.id) AS nodes,
      (SELECT coalesce(json_agg(json_build_object('kind', kind, 'sourceId', source_id, 'targetId', target_id, 'count', count)
          ORDER BY source_id, target_id, kind), '[]')
         FROM (SELECT kind, source_id, target_id, sum(count) AS count FROM joined GROUP BY 1, 2, 3) pairs) AS edges,
      (SELECT count(*) FROM published) - (SELECT count(*) FROM shown) AS more`;
}

export const graphRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/reference-data/:id/graph',
    { level: 'READ' },
    { summary: 'Read the data sets around a data set', answers: { 200: GraphView }, query: GraphQuery },
    async (request) => {
      const viewer = viewerOf(request);
      const id = idParam(request);
      const expanded = new Map([[id, 1]]);
      for (const other of request.query.expand ?? []) expanded.set(other, (expanded.get(other) ?? 0) + 1);
      const near = await readModels.read<Neighbour>(request, (tables) => selectNeighbours(tables, viewer, expanded));
      const ids = reachableNodes(id, expanded, near.rows);
      const found = await readModels.read<GraphRows>(request, (tables) => selectGraph(tables, viewer, ids));
      const { nodes, edges: between } = found.one();
      const own = nodes.find((node) => node.id === id);
      if (!own) {
        // Throws 404; if the data set did not exist yet at `asOf`, the message says so.
        await findReadableDataSet(readModels, request, viewer, id);
        throw new Refusal('NOT_FOUND', 'Not found');
      }
      const body: GraphView = {
        id,
        nodes: [own, ...nodes.filter((node) => node !== own)],
        edges: between.map((edge) => ({ ...edge, counts: edge.counts ?? NO_COUNTS })),
      };
      return answer(found, body);
    },
  ),

  route(
    'get',
    '/api/graph',
    { public: true },
    { summary: 'Read the graph of the published data sets', answers: { 200: PublicGraph } },
    async () => {
      const found = await readModels.read<PublicGraph>({}, publicGraph);
      return { body: found.one() };
    },
  ),
];
