/** Reference data sets: the list, one of them, what hangs on it, and its neighbours in the graph. */
import { ListQuery } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { type DataSetRow, dataSetList, instanceCount, showDataSet } from './data-set-list.ts';
import { analyse, type Dependants, dependants } from './dependencies.ts';
import type { Floor } from './floor.ts';
import { listRows, oneRow } from './list.ts';
import { answer, type Tables } from './read-models.ts';
import { type Sql, sql } from './sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

/** Neighbours shown per expansion of the graph; the others are counted. */
const NEIGHBOURS_SHOWN = 50;

export const dataSetRoutes = ({ readModels }: Floor): Route[] => [
  route('get', '/api/reference-data', { route: '/collections', level: 'READ' }, { query: ListQuery }, (request) => {
    const viewer = viewerOf(request);
    return listRows(readModels, request, (tables) => dataSetList(tables, viewer), showDataSet(viewer));
  }),

  route('get', '/api/reference-data/:id', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<DataSetRow>(request, (tables) =>
      oneRow(dataSetList(tables, viewer), sql`d.id = ${id}`),
    );
    return answer(found, showDataSet(viewer)(found.one()));
  }),

  route('get', '/api/reference-data/:id/dependencies', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<Dependants>(request, (tables) => {
      const { from, where } = dataSetList(tables, viewer);
      return sql`${dependants(tables, {
        ids: sql`SELECT ${id}::bigint`,
        typeId: sql`(SELECT d.type_id FROM ${tables('reference_data_sets')} d WHERE d.id = ${id})`,
      })} WHERE EXISTS (SELECT FROM ${from} WHERE ${where} AND d.id = ${id})`;
    });
    const analysis = analyse(found.one(), viewer);
    // The data set does not depend on itself.
    return answer(found, { ...analysis, datasets: [] });
  }),

  route('get', '/api/reference-data/:id/graph', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<Graph>(request, (tables) => graph(tables, viewer, id));
    return answer(found, capped(found.one(), id));
  }),
];

interface Edge {
  kind: 'relationship' | 'crosswalk';
  id: number;
  name: string;
  sourceId: number;
  targetId: number;
  count: number | null;
}
interface Graph {
  nodes: { id: number; name: string; typeName: string; instanceCount: number; isPublic: boolean }[];
  edges: Edge[];
}

/** The data set, its readable neighbours, and the edges between it and them. */
function graph(tables: Tables, viewer: Viewer, id: number): Sql {
  const { from, where } = dataSetList(tables, viewer);
  const touches = (source: Sql, target: Sql) =>
    sql`(${source} = ${id} OR ${target} = ${id}) AND ${viewer.mayReadAll(tables, [source, target])}`;
  const mappings =
    tables.asOf === undefined
      ? sql`(SELECT m.served FROM ${tables('mapping_counts')} m WHERE m.crosswalk_id = c.id)`
      : sql`(SELECT count(*) FROM ${tables('crosswalk_mapping_values')} v
          WHERE v.crosswalk_id = c.id AND v.served_target IS NOT NULL)`;
  return sql`WITH edges AS (
      SELECT 'relationship' AS kind, r.id, r.name, r.source_data_set_id AS "sourceId", r.target_data_set_id AS "targetId", NULL::bigint AS count
        FROM ${tables('relationships')} r WHERE ${touches(sql`r.source_data_set_id`, sql`r.target_data_set_id`)}
      UNION ALL
      SELECT 'crosswalk', c.id, c.name, c.source_system_id, c.target_system_id, coalesce(${mappings}, 0)
        FROM ${tables('crosswalk_mappings')} c WHERE ${touches(sql`c.source_system_id`, sql`c.target_system_id`)}),
    nodes AS (
      SELECT d.id, d.name, t.name AS "typeName", ${instanceCount(tables)} AS "instanceCount", d.is_public AS "isPublic"
        FROM ${from} WHERE ${where}
         AND (d.id = ${id} OR d.id IN (SELECT "sourceId" FROM edges UNION SELECT "targetId" FROM edges)))
    SELECT (SELECT json_agg(n ORDER BY n.id <> ${id}, n.name, n.id) FROM nodes n) AS nodes,
           (SELECT coalesce(json_agg(e ORDER BY e.name, e.id), '[]') FROM edges e) AS edges
     WHERE EXISTS (SELECT FROM nodes WHERE id = ${id})`;
}

/** The data set itself comes first; its neighbours are cut to what a picture can hold. */
function capped({ nodes, edges }: Graph, id: number) {
  const shown = nodes.slice(0, NEIGHBOURS_SHOWN + 1);
  const ids = new Set(shown.map((node) => node.id));
  return {
    id,
    nodes: shown,
    edges: edges.filter((edge) => ids.has(edge.sourceId) && ids.has(edge.targetId)),
    more: nodes.length - shown.length,
  };
}
