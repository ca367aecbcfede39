/** Comparison: the source values that each system maps to the values of one target data set, and their conflicts. */
import {
  COMPARISON_FIELDS,
  type ComparedCell,
  type ComparedSystem,
  Comparison,
  comparedField,
  ListQuery,
  Refusal,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { type Side, sidesOfCrosswalk } from '../entities/crosswalks.ts';
import type { FieldSql } from '../list/filter/compile.ts';
import { whereClause } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import { filterOf, orderByClause } from '../list/list-statement.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type ReadResult, type Tables } from '../read-models/read-models.ts';
import { all, join, type Sql, sql } from '../read-models/sql.ts';
import { hasOneOf, sideRows } from './crosswalk-rows.ts';

export const ComparisonQuery = ListQuery.omit({ fields: true }).extend({
  conflicts: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to list only target values with a conflict in at least one source data set.'),
  targetFieldId: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('The id of the field of the target data set to compare. By default the field that most crosswalks use.'),
});
export type ComparisonQuery = z.infer<typeof ComparisonQuery>;

interface Crosswalk {
  id: number;
  name: string;
  sourceId: number;
  sourceName: string;
  source: Side;
  target: Side;
}

/**
 * The comparison for one field of a data set. `targetField` is undefined if the viewer may read no served crosswalk to
 * the data set.
 */
export interface ComparisonScope {
  target: { name: string };
  targetField: Side | undefined;
  crosswalks: Crosswalk[];
  systems: ComparedSystem[];
  found: ReadResult<Crosswalk>;
}

/** Finds the served crosswalks to a target data set, from source data sets that the viewer may read. */
async function findCrosswalks(readModels: ReadModels, readRequest: ReadRequest, viewer: Viewer, targetId: number) {
  return readModels.read<Crosswalk>(
    readRequest,
    (tables) => sql`SELECT c.id, c.name, s.id AS "sourceId", s.name AS "sourceName",
        ${sidesOfCrosswalk}
      FROM ${tables('crosswalk_mappings')} c
      JOIN ${tables('reference_data_sets')} s ON s.id = c.source_system_id
      JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
      JOIN ${tables('reference_data_sets')} t ON t.id = c.target_system_id
      JOIN ${tables('reference_data_types')} tt ON tt.id = t.type_id
      WHERE c.target_system_id = ${targetId}::bigint AND c.served IS NOT NULL
        AND ${viewer.hasLevelOnDataSet(sql`s.id`, sql`s.created_by`)} ORDER BY lower(s.name), s.id, c.id`,
  );
}

async function findTarget(readModels: ReadModels, readRequest: ReadRequest, viewer: Viewer, id: number) {
  const found = await readModels.read<{ name: string; fieldId: number | null }>(
    readRequest,
    (tables) => sql`SELECT t.name, t.key_field_ids[1] AS "fieldId" FROM ${tables('reference_data_sets')} t
      WHERE t.id = ${id}::bigint AND ${viewer.hasLevelOnDataSet(sql`t.id`, sql`t.created_by`)}`,
  );
  return found.one();
}

/** Returns the id of the most used target attribute; the lowest id of equally used attributes. */
export function mostUsedField(crosswalks: readonly { target: { fieldId: number } }[]): number | undefined {
  const uses = new Map<number, number>();
  for (const { target } of crosswalks) uses.set(target.fieldId, (uses.get(target.fieldId) ?? 0) + 1);
  return [...uses].sort(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || a - b)[0]?.[0];
}

/** Finds the crosswalks that the viewer may compare, for the requested attribute or the most used one. */
export async function findComparison(
  readModels: ReadModels,
  readRequest: ReadRequest & { query: ComparisonQuery },
  viewer: Viewer,
  targetId: number,
): Promise<ComparisonScope> {
  const target = await findTarget(readModels, readRequest, viewer, targetId);
  const found = await findCrosswalks(readModels, readRequest, viewer, targetId);
  const fieldId = readRequest.query.targetFieldId ?? mostUsedField(found.rows);
  const crosswalks = found.rows.filter((crosswalk) => crosswalk.target.fieldId === fieldId);
  if (crosswalks.length === 0 && readRequest.query.targetFieldId !== undefined) {
    throw new Refusal('NOT_FOUND', 'No crosswalk maps to this attribute');
  }
  return { target, targetField: crosswalks[0]?.target, crosswalks, systems: systemsOf(crosswalks), found };
}

/** The query for the served pairs of these crosswalks, each with its source data set. */
const servedPairs = (tables: Tables, crosswalks: readonly Crosswalk[]): Sql => sql`SELECT m.crosswalk_id, m.id,
    m.source_value, m.served_target, system.data_set_id
  FROM ${tables('crosswalk_mapping_values')} m
  JOIN unnest(${crosswalks.map(({ id }) => id)}::bigint[], ${crosswalks.map(({ sourceId }) => sourceId)}::bigint[])
    system (crosswalk_id, data_set_id) ON system.crosswalk_id = m.crosswalk_id
  WHERE m.served_target IS NOT NULL AND NOT m.deleted`;

interface TargetRow {
  targetValue: string;
  targetLabel: string | null;
  total: number;
  mappings: (Omit<ComparedCell['mappings'][number], 'sourceMissing'> & { dataSetId: number })[];
}

/** The list of target values. Users can filter and sort by the target, and by the source values of each system. */
const definition = (tables: Tables, targetField: Side, systems: readonly ComparedSystem[]): ListDefinition => {
  const value = sql`target.value`;
  const label = sql`target.label`;
  return {
    from: sql`(${sideRows(tables, targetField)}) target LEFT JOIN sources ON sources.served_target = target.value`,
    where: sql`true`,
    columns: { value, label },
    fields: new Map<string, FieldSql>([
      ['targetValue', { sql: value, dataType: 'string', label: targetField.fieldName }],
      ...fieldMap(
        COMPARISON_FIELDS,
        {},
        {
          targetLabel: label,
          systemCount: sql`coalesce(sources.systems, 0)::numeric`,
          isConflict: sql`coalesce(sources.is_conflict, false)`,
        },
      ),
      ...systems.map(({ dataSetId, name }): [string, FieldSql] => [
        comparedField(dataSetId),
        { sql: sql`(sources.by_system -> ${String(dataSetId)}::text)`, dataType: 'array', label: name },
      ]),
    ]),
    search: [value, label],
    id: sql`target.id`,
    defaultSort: { sql: value, dataType: 'string', order: 'ASC' },
  };
};

/**
 * The query for the source values of each target value. Only filters and sorts use the rows: without a filter or sort,
 * `isNeeded` is false and the query returns no rows.
 */
const sourcesByTarget = (isNeeded: boolean): Sql => sql`SELECT each.served_target, count(*) AS systems,
      jsonb_object_agg(each.data_set_id, each.source_values) AS by_system,
      each.served_target IN (SELECT other.served_target FROM ambiguous other) AS is_conflict
    FROM (SELECT p.served_target, p.data_set_id, jsonb_agg(DISTINCT p.source_value) AS source_values
      FROM pairs p WHERE ${isNeeded}::boolean GROUP BY 1, 2) each GROUP BY each.served_target`;

/**
 * The CTEs of a comparison. `ambiguous` has the pairs whose source value has several targets. `listed` has the target
 * values that match the query.
 */
export function comparisonQueries(
  tables: Tables,
  { query, inspect }: ReadRequest & { query: ComparisonQuery },
  targetField: Side,
  crosswalks: readonly Crosswalk[],
  systems: readonly ComparedSystem[],
): Sql {
  const isNeeded = filterOf(query) !== undefined || query.sort !== undefined;
  const list = definition(tables, targetField, systems);
  if (inspect) inspect.fields = list.fields;
  const conditions = [whereClause(query, list) ?? sql`true`];
  if (query.conflicts === 'true') conditions.push(sql`target.value IN (SELECT p.served_target FROM ambiguous p)`);
  return sql`pairs AS MATERIALIZED (${servedPairs(tables, crosswalks)}),
      ambiguous AS MATERIALIZED (
        SELECT DISTINCT p.data_set_id, p.source_value, p.served_target FROM pairs p JOIN (
          SELECT data_set_id, source_value FROM pairs GROUP BY 1, 2 HAVING count(DISTINCT served_target) > 1
        ) several USING (data_set_id, source_value)),
      sources AS MATERIALIZED (${sourcesByTarget(isNeeded)}),
      listed AS (SELECT target.value, target.label, row_number() OVER (${orderByClause(query, list)}) AS place
        FROM ${list.from} WHERE ${all(conditions)})`;
}

function findRows(
  readModels: ReadModels,
  request: ReadRequest & { query: ComparisonQuery },
  targetField: Side,
  crosswalks: readonly Crosswalk[],
  systems: readonly ComparedSystem[],
): Promise<ReadResult<TargetRow>> {
  const { query } = request;
  return readModels.read<TargetRow>(
    request,
    (tables) => sql`WITH ${comparisonQueries(tables, request, targetField, crosswalks, systems)},
      shown AS (SELECT * FROM listed ORDER BY place
        LIMIT ${query.pageSize} OFFSET ${(query.page - 1) * query.pageSize})
      SELECT shown.value AS "targetValue", shown.label AS "targetLabel", (SELECT count(*) FROM listed) AS total,
        coalesce((SELECT json_agg(json_build_object('dataSetId', p.data_set_id, 'crosswalkId', p.crosswalk_id,
            'mappingId', p.id, 'sourceValue', p.source_value, 'otherTargets', (
              SELECT coalesce(json_agg(other.served_target ORDER BY other.served_target), '[]') FROM ambiguous other
              WHERE other.data_set_id = p.data_set_id AND other.source_value = p.source_value
                AND other.served_target <> p.served_target))
            ORDER BY p.source_value, p.id)
          FROM pairs p WHERE p.served_target = shown.value), '[]') AS mappings
      FROM shown ORDER BY shown.place`,
  );
}

/** Returns the source values of these rows that exist in the source data set, by crosswalk. */
async function findExistingValues(
  readModels: ReadModels,
  readRequest: ReadRequest,
  crosswalks: readonly Crosswalk[],
  rows: readonly TargetRow[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const usedValues = new Map<number, Set<string>>();
  for (const { crosswalkId, sourceValue } of rows.flatMap(({ mappings }) => mappings)) {
    usedValues.set(crosswalkId, (usedValues.get(crosswalkId) ?? new Set()).add(sourceValue));
  }
  const sides = crosswalks.flatMap(({ id, source }) => {
    const values = usedValues.get(id);
    return values === undefined ? [] : [{ id, source, values: [...values] }];
  });
  if (sides.length === 0) return new Map();
  const found = await readModels.read<{ id: number; values: string[] }>(readRequest, (tables) =>
    join(
      sides.map(
        ({ id, source, values }) => sql`SELECT ${id}::bigint AS id, array_agg(held.value) AS values
          FROM (${sideRows(tables, source, hasOneOf(source, values))}) held`,
      ),
      ' UNION ALL ',
    ),
  );
  return new Map(found.rows.map(({ id, values }) => [id, new Set(values)]));
}

function stateOf(mappings: ComparedCell['mappings']): ComparedCell['state'] {
  if (mappings.length === 0) return 'absent';
  if (mappings.some(({ otherTargets }) => otherTargets.length > 0)) return 'conflict';
  return mappings.every(({ sourceMissing }) => sourceMissing) ? 'broken' : 'agree';
}

/** Returns one cell per system. `existing` has the source values that still exist, by crosswalk. */
export function cellsOf(
  systems: readonly { dataSetId: number }[],
  mappings: TargetRow['mappings'],
  existing: ReadonlyMap<number, ReadonlySet<string>>,
): ComparedCell[] {
  return systems.map(({ dataSetId }) => {
    const ownMappings = mappings
      .filter((mapping) => mapping.dataSetId === dataSetId)
      .map(({ dataSetId: _, ...mapping }) => ({
        ...mapping,
        sourceMissing: existing.get(mapping.crosswalkId)?.has(mapping.sourceValue) !== true,
      }));
    return { dataSetId, state: stateOf(ownMappings), mappings: ownMappings };
  });
}

/** Returns the source data sets of crosswalks, each with its crosswalks, in the order of the crosswalks. */
export function systemsOf(crosswalks: readonly Omit<Crosswalk, 'source' | 'target'>[]): ComparedSystem[] {
  const systems = new Map<number, ComparedSystem>();
  for (const { id, name, sourceId, sourceName } of crosswalks) {
    const system = systems.get(sourceId) ?? { dataSetId: sourceId, name: sourceName, crosswalks: [] };
    system.crosswalks.push({ id, name });
    systems.set(sourceId, system);
  }
  return [...systems.values()];
}

export const comparisonRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/crosswalk/comparison/:targetDatasetId',
    { level: 'READ' },
    {
      summary: 'Compare the systems that are mapped to one data set',
      answers: { 200: Comparison },
      query: ComparisonQuery,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const { query } = request;
      const targetId = idParam(request, 'targetDatasetId');
      const { target, targetField, crosswalks, systems, found } = await findComparison(
        readModels,
        request,
        viewer,
        targetId,
      );
      if (targetField === undefined) {
        const { page, pageSize } = query;
        const emptyPage = { items: [], page, pageSize, total: 0, position: found.shownPosition, systems: [] };
        const body: Comparison = { ...emptyPage, targetDataSetId: targetId, targetName: target.name };
        return answer(found, body);
      }
      const rows = await findRows(readModels, request, targetField, crosswalks, systems);
      const existing = await findExistingValues(readModels, request, crosswalks, rows.rows);
      const body: Comparison = {
        targetDataSetId: targetId,
        targetName: target.name,
        targetAttribute: targetField.fieldName,
        targetFieldId: targetField.fieldId,
        systems,
        items: rows.rows.map(({ targetValue, targetLabel, mappings }) => ({
          targetValue,
          targetLabel,
          cells: cellsOf(systems, mappings, existing),
        })),
        page: query.page,
        pageSize: query.pageSize,
        total: rows.rows[0]?.total ?? 0,
        position: rows.shownPosition,
      };
      return answer(rows, body);
    },
  ),
];
