/** Reference data sets: the list, one of them, what hangs on it, and its neighbours in the graph. */
import { type DataSetView, ListQuery } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { analyse, type Dependants, dependants } from './dependencies.ts';
import type { Floor } from './floor.ts';
import { fieldMap, type ListDefinition, listRows, oneRow } from './list.ts';
import { answer, type Tables } from './read-models.ts';
import { type Sql, sql } from './sql.ts';
import { levelOrNotFound, type Viewer, viewerOf } from './viewer.ts';

/** Neighbours shown per expansion of the graph; the others are counted. */
const NEIGHBOURS_SHOWN = 50;

type Row = Omit<DataSetView, 'level' | 'primaryKeyField' | 'collections'>;

/** Counts are kept for today; for the past they are counted from the rows that were there. */
const instanceCount = (tables: Tables): Sql =>
  tables.asOf === undefined
    ? sql`coalesce(n.instances, 0)`
    : sql`(SELECT count(*) FROM ${tables('instances')} i WHERE i.data_set_id = d.id AND NOT i.deleted)`;

const pendingCount = (tables: Tables): Sql =>
  tables.asOf === undefined
    ? sql`(SELECT coalesce(sum(m.pending), 0) FROM ${tables('crosswalk_mappings')} c
        JOIN ${tables('mapping_counts')} m ON m.crosswalk_id = c.id WHERE c.source_system_id = d.id)`
    : sql`(SELECT count(*) FROM ${tables('crosswalk_mappings')} c
        JOIN ${tables('crosswalk_mapping_values')} v ON v.crosswalk_id = c.id
        WHERE c.source_system_id = d.id AND v.approval_status = 'PENDING' AND NOT v.deleted)`;

function definition(tables: Tables, viewer: Viewer): ListDefinition {
  const today = tables.asOf === undefined;
  const instances = instanceCount(tables);
  const pending = pendingCount(tables);
  const collectionIds = sql`ARRAY(SELECT k.id FROM ${tables('reference_data_collections')} k
    WHERE d.id = ANY(k.data_set_ids) AND k.id = ANY(${viewer.collectionIds()}::bigint[]))`;
  const updatedAt = today ? sql`greatest(d.updated_at, n.updated_at)` : sql`d.updated_at`;
  return {
    from: sql`${tables('reference_data_sets')} d
      JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
      ${today ? sql`LEFT JOIN ${tables('data_set_counts')} n ON n.data_set_id = d.id` : sql``}`,
    where: viewer.mayReadDataSet(sql`d.id`, sql`d.created_by`),
    columns: {
      id: sql`d.id`,
      name: sql`d.name`,
      description: sql`d.description`,
      typeId: sql`d.type_id`,
      typeName: sql`t.name`,
      primaryKeyFields: sql`(SELECT coalesce(json_agg(f ->> 'name' ORDER BY k.place), '[]')
        FROM unnest(d.key_field_ids) WITH ORDINALITY k(field_id, place)
        JOIN jsonb_array_elements(t.fields) f ON (f ->> 'fieldId')::bigint = k.field_id)`,
      instanceCount: instances,
      pendingCount: pending,
      crosswalkCount: sql`cardinality(d.crosswalk_ids)`,
      isPublic: sql`d.is_public`,
      exclusiveJobId: sql`d.exclusive_job_id`,
      revision: sql`d.revision`,
      createdAt: sql`d.created_at`,
      createdBy: sql`d.created_by`,
      updatedAt,
      updatedBy: today
        ? sql`CASE WHEN n.updated_at > d.updated_at THEN n.updated_by ELSE d.updated_by END`
        : sql`d.updated_by`,
    },
    always: ['id', 'revision', 'createdBy', 'primaryKeyFields'],
    fields: fieldMap({
      id: { sql: sql`d.id::numeric`, dataType: 'number', label: 'Id' },
      name: { sql: sql`d.name`, dataType: 'string', label: 'Name' },
      description: { sql: sql`d.description`, dataType: 'string', label: 'Description' },
      typeId: { sql: sql`d.type_id::numeric`, dataType: 'number', label: 'Type id' },
      typeName: { sql: sql`t.name`, dataType: 'string', label: 'Type' },
      collectionIds: { sql: sql`to_jsonb(${collectionIds})`, dataType: 'array', label: 'Collections' },
      instanceCount: { sql: sql`(${instances})::numeric`, dataType: 'number', label: 'Instances' },
      pendingCount: { sql: sql`(${pending})::numeric`, dataType: 'number', label: 'Pending changes' },
      crosswalkCount: { sql: sql`cardinality(d.crosswalk_ids)::numeric`, dataType: 'number', label: 'Crosswalks' },
      isPublic: { sql: sql`d.is_public`, dataType: 'boolean', label: 'Public' },
      createdBy: { sql: sql`d.created_by::numeric`, dataType: 'number', label: 'Created by' },
      createdAt: { sql: sql`d.created_at`, dataType: 'datetime', label: 'Created' },
      updatedAt: { sql: updatedAt, dataType: 'datetime', label: 'Updated' },
    }),
    search: [sql`d.name`, sql`d.description`, sql`t.name`],
    id: sql`d.id`,
    defaultSort: { sql: sql`d.name`, dataType: 'string', order: 'ASC' },
  };
}

const show =
  (viewer: Viewer) =>
  (row: Row): DataSetView => ({
    ...row,
    primaryKeyField: row.primaryKeyFields.length === 1 ? (row.primaryKeyFields[0] ?? null) : null,
    collections: viewer.collectionsOf(row.id),
    level: levelOrNotFound(viewer, row),
  });

export const dataSetRoutes = ({ readModels }: Floor): Route[] => [
  route('get', '/api/reference-data', { route: '/collections' }, { query: ListQuery }, (request) => {
    const viewer = viewerOf(request);
    return listRows(readModels, request, (tables) => definition(tables, viewer), show(viewer));
  }),

  route('get', '/api/reference-data/:id', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<Row>(request, (tables) =>
      oneRow(definition(tables, viewer), sql`d.id = ${id}`),
    );
    return answer(found, show(viewer)(found.one()));
  }),

  route('get', '/api/reference-data/:id/dependencies', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<Dependants>(request, (tables) => {
      const { from, where } = definition(tables, viewer);
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
  const { from, where } = definition(tables, viewer);
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
