/** Finds mappings (by value) and relationship values (by id) that refer to the instances to delete. */
import { DeletionImpact, type Dependant, Refusal, SelectedInstances, WORDS } from '@rdm/contracts';
import { idParam, type Pool, type Principal, type Route, route } from '@rdm/platform';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { normalised } from '../entities/cells.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

interface DependantRow extends Dependant {
  kind: 'crosswalk' | 'relationship';
  isReadable: boolean;
  referencedCount: number;
}

/**
 * Selects the crosswalks and relationships with working or served values that refer to the rows. The table
 * `crosswalk_mappings` contains crosswalks, and `crosswalk_mapping_values` contains mappings.
 */
function selectDependants(tables: Tables, viewer: Viewer, dataSetId: number, rowIds: readonly number[]): Sql {
  const end = (name: 'source' | 'target') => {
    const [system, field] =
      name === 'source'
        ? [sql`c.source_system_id`, sql`c.source_field_id`]
        : [sql`c.target_system_id`, sql`c.target_field_id`];
    return sql`SELECT c.id AS crosswalk_id, ${name}::text AS side, n.id AS row_id,
        ${normalised(sql`(n.data ->> ${field}::text)`)} AS value
      FROM ${tables('crosswalk_mappings')} c CROSS JOIN chosen n
      WHERE ${system} = ${dataSetId}::bigint AND ${field} IS NOT NULL`;
  };
  const mapped = (side: 'source' | 'target', isSame: Sql) => sql`
    SELECT 'crosswalk' AS kind, l.crosswalk_id AS parent_id, l.row_id, m.id, m.served_target IS NOT NULL AS served
    FROM cells l JOIN ${tables('crosswalk_mapping_values')} m
      ON m.crosswalk_id = l.crosswalk_id AND NOT m.deleted AND ${isSame}
    WHERE l.side = ${side}`;
  const related = (side: Sql, row: Sql) => sql`
    SELECT 'relationship', r.id, n.id, v.id, v.served IS NOT NULL
    FROM ${tables('relationships')} r
    JOIN ${tables('relationship_values')} v ON v.relationship_id = r.id AND NOT v.deleted
    JOIN chosen n ON n.id = ${row}
    WHERE ${side} = ${dataSetId}::bigint`;
  const readable = (source: Sql, target: Sql) => viewer.hasLevelOnAll(tables, [source, target], 'READ');
  return sql`WITH chosen AS MATERIALIZED (
      SELECT i.id, i.data FROM ${tables('instances')} i
      WHERE i.data_set_id = ${dataSetId}::bigint AND NOT i.deleted AND i.id = ANY(${rowIds}::bigint[])),
    cells AS MATERIALIZED (${end('source')} UNION ALL ${end('target')}),
    found AS MATERIALIZED (
      ${mapped('source', sql`left(m.source_value, 200) = left(l.value, 200) AND m.source_value = l.value`)}
      UNION ${mapped('target', sql`m.target_value = l.value`)}
      UNION ${mapped('target', sql`m.served_target = l.value`)}
      UNION ${related(sql`r.source_data_set_id`, sql`v.source_instance_id`)}
      UNION ${related(sql`r.target_data_set_id`, sql`v.target_instance_id`)}
      UNION ${related(sql`r.source_data_set_id`, sql`(v.served ->> 'sourceInstanceId')::bigint`)}
      UNION ${related(sql`r.target_data_set_id`, sql`(v.served ->> 'targetInstanceId')::bigint`)})
    SELECT s.kind, s.parent_id AS id, coalesce(c.name, r.name) AS name, count(DISTINCT s.id) AS count,
      count(DISTINCT s.id) FILTER (WHERE s.served) AS "servedCount",
      (SELECT count(DISTINCT row_id) FROM found) AS "referencedCount",
      CASE s.kind WHEN 'crosswalk' THEN ${readable(sql`c.source_system_id`, sql`c.target_system_id`)}
        ELSE ${readable(sql`r.source_data_set_id`, sql`r.target_data_set_id`)} END AS "isReadable"
    FROM found s
    LEFT JOIN ${tables('crosswalk_mappings')} c ON s.kind = 'crosswalk' AND c.id = s.parent_id
    LEFT JOIN ${tables('relationships')} r ON s.kind = 'relationship' AND r.id = s.parent_id
    GROUP BY s.kind, s.parent_id, c.id, c.name, c.source_system_id, c.target_system_id,
      r.id, r.name, r.source_data_set_id, r.target_data_set_id
    ORDER BY count(DISTINCT s.id) DESC, name, s.parent_id`;
}

/** Returns the ids of the rows to delete. Throws NOT_FOUND if the selection does not exist or has expired. */
async function rowIdsOf(
  body: SelectedInstances,
  { pool, principal, dataSetId }: { pool: Pool; principal: Principal; dataSetId: number },
): Promise<number[]> {
  if ('rows' in body) return body.rows.map(({ id }) => id);
  const { rows } = await pool.query<{ items: [number, number][] }>(
    `SELECT items FROM platform.selections
      WHERE id = $1 AND owner_id = $2 AND kind = 'instances' AND parent_id = $3 AND expires_at > now()`,
    [body.selectionId, principal.userId, dataSetId],
  );
  const [selection] = rows;
  if (!selection) throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
  return selection.items.map(([id]) => id);
}

/** The request for the deletion itself has the same limit. */
const BODY_BYTES = 16 * 1024 * 1024;

export const deletionImpactRoutes = ({ readModels, pool }: QueryContext): Route[] => [
  route(
    'post',
    '/api/reference-data/:id/instances/deletion-impact',
    { level: 'WRITE' },
    {
      summary: 'Read which mappings and relationship values refer to the rows to delete',
      example: { body: { rows: [{ id: 5166, revision: 1 }] } },
      answers: { 200: DeletionImpact },
      body: SelectedInstances,
      limit: BODY_BYTES,
    },
    async (request) => {
      const readRequest = { minPosition: request.minPosition };
      const reader = viewerOf({ ...request, needs: { level: 'READ' } });
      const dataSet = await findReadableDataSet(readModels, readRequest, reader, idParam(request));
      // `hasDeclaredLevel` checks the level that the route declares, here WRITE.
      if (!viewerOf(request).hasDeclaredLevel(dataSet)) {
        throw new Refusal('FORBIDDEN', 'Deleting rows needs WRITE permission on the data set');
      }
      const { principal, body } = request;
      const rowIds = await rowIdsOf(body, { pool, principal, dataSetId: dataSet.id });
      const found = await readModels.read<DependantRow>(readRequest, (tables) =>
        selectDependants(tables, reader, dataSet.id, rowIds),
      );
      const dependantsOfKind = (kind: DependantRow['kind']): Dependant[] =>
        found.rows
          .filter((each) => each.kind === kind && each.isReadable)
          .map(({ id, name, count, servedCount }) => ({ id, name, count, servedCount }));
      return answer(found, {
        rowCount: rowIds.length,
        referencedCount: found.rows[0]?.referencedCount ?? 0,
        crosswalks: dependantsOfKind('crosswalk'),
        relationships: dependantsOfKind('relationship'),
        hidden: found.rows.filter(({ isReadable }) => !isReadable).length,
      } satisfies DeletionImpact);
    },
  ),
];
