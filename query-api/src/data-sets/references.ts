/** Lists the mappings that use the values of an instance, from crosswalks whose data sets the viewer may read. */
import { InstanceReferences } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { normalised } from '../entities/cells.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

const REFERENCES_MAX = 100;

/** The query for InstanceReferences: mappings whose source, working target or served target is a value of the row. */
function referencesOf(tables: Tables, viewer: Viewer, dataSetId: number, instanceId: number): Sql {
  const side = (name: 'source' | 'target', crosswalkDataSetId: Sql, fieldId: Sql, value: Sql) => sql`
    SELECT m.id, c.id AS "crosswalkId", c.name AS "crosswalkName", ${name}::text AS side,
      m.source_value AS "sourceValue", m.target_value AS "targetValue", m.approval_status AS status,
      m.served_target IS NOT NULL AS "isServed"
    FROM ${tables('instances')} i
    JOIN ${tables('crosswalk_mappings')} c ON ${crosswalkDataSetId} = i.data_set_id
    JOIN ${tables('crosswalk_mapping_values')} m ON m.crosswalk_id = c.id AND NOT m.deleted AND ${value}
    WHERE i.data_set_id = ${dataSetId}::bigint AND i.id = ${instanceId}::bigint AND ${fieldId} IS NOT NULL
      AND ${viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`])}`;
  const cell = (fieldId: Sql) => sql`(${normalised(sql`(i.data ->> ${fieldId}::text)`)})`;
  const source = cell(sql`c.source_field_id`);
  const target = cell(sql`c.target_field_id`);
  const all = sql`${side('source', sql`c.source_system_id`, source, sql`(left(m.source_value, 200) = left(${source}, 200) AND m.source_value = ${source})`)}
    UNION ALL ${side('target', sql`c.target_system_id`, target, sql`${target} IN (m.target_value, m.served_target)`)}`;
  return sql`WITH found AS MATERIALIZED (${all})
    SELECT i.id, (SELECT count(*) FROM found) AS "mappingCount",
      (SELECT coalesce(json_agg(each), '[]') FROM
        (SELECT * FROM found ORDER BY "crosswalkName", "crosswalkId", side, id LIMIT ${REFERENCES_MAX}) each) AS mappings
    FROM ${tables('instances')} i WHERE i.data_set_id = ${dataSetId}::bigint AND i.id = ${instanceId}::bigint`;
}

export const referenceRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/reference-data/:id/instances/:instanceId/references',
    { level: 'READ' },
    {
      summary: 'List the mappings that use a row',
      example: { params: { instanceId: 5166 } },
      answers: { 200: InstanceReferences },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const dataSet = await findReadableDataSet(readModels, request, viewer, idParam(request));
      const result = await readModels.read<InstanceReferences & { id: number }>(request, (tables) =>
        referencesOf(tables, viewer, dataSet.id, idParam(request, 'instanceId')),
      );
      const { mappings, mappingCount } = result.one();
      return answer(result, { mappings, mappingCount } satisfies InstanceReferences);
    },
  ),
];
