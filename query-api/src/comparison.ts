/** Comparison: what each source system calls the values of one target data set, and where a system contradicts itself. */
import { type Page, Refusal } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { sideRows } from './crosswalk-rows.ts';
import { type Side, sideColumn } from './crosswalks.ts';
import { escapeLike } from './filter/compile.ts';
import type { Floor } from './floor.ts';
import { type Asked, answer, type Found, type ReadModels, type Tables } from './read-models.ts';
import { all, type Sql, sql } from './sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

const ComparisonQuery = z.object({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(1_000).default(50),
  q: z.string().max(500).optional(),
  /** Only values with a conflict in some system. */
  conflicts: z.enum(['true', 'false']).default('false'),
  /** The target attribute compared, where crosswalks use several; else the one most of them use. */
  targetFieldId: z.coerce.number().int().positive().optional(),
  asOf: z.string().max(100).optional(),
});
type ComparisonQuery = z.infer<typeof ComparisonQuery>;

/** A source system: a data set, with its crosswalks to the target. */
export interface ComparedSystem {
  dataSetId: number;
  name: string;
  crosswalks: { id: number; name: string }[];
}

/** What a system says of a target value: a conflict where one of its values means another target as well. */
export interface ComparedCell {
  dataSetId: number;
  state: 'agree' | 'conflict' | 'absent';
  mappings: { crosswalkId: number; mappingId: number; sourceValue: string; otherTargets: string[] }[];
}

export interface ComparedRow {
  targetValue: string;
  targetLabel: string | null;
  cells: ComparedCell[];
}

export interface Comparison extends Page<ComparedRow> {
  targetDataSetId: number;
  targetName: string;
  targetAttribute: string;
  targetFieldId: number;
  systems: ComparedSystem[];
}

interface Crosswalk {
  id: number;
  name: string;
  sourceId: number;
  sourceName: string;
  target: Side;
}

/** Crosswalks to a target that the viewer may read, those in force. */
async function findCrosswalks(readModels: ReadModels, asked: Asked, viewer: Viewer, targetId: number) {
  return readModels.read<Crosswalk>(
    asked,
    (tables) => sql`SELECT c.id, c.name, s.id AS "sourceId", s.name AS "sourceName",
        ${sideColumn(sql`t`, sql`tt`, sql`c.target_field_id`)} AS target
      FROM ${tables('crosswalk_mappings')} c
      JOIN ${tables('reference_data_sets')} s ON s.id = c.source_system_id
      JOIN ${tables('reference_data_sets')} t ON t.id = c.target_system_id
      JOIN ${tables('reference_data_types')} tt ON tt.id = t.type_id
      WHERE c.target_system_id = ${targetId}::bigint AND c.served IS NOT NULL
        AND ${viewer.mayReadDataSet(sql`s.id`, sql`s.created_by`)} ORDER BY lower(s.name), s.id, c.id`,
  );
}

async function findTarget(readModels: ReadModels, asked: Asked, viewer: Viewer, id: number) {
  const found = await readModels.read<{ name: string; fieldId: number | null }>(
    asked,
    (tables) => sql`SELECT t.name, t.key_field_ids[1] AS "fieldId" FROM ${tables('reference_data_sets')} t
      WHERE t.id = ${id}::bigint AND ${viewer.mayReadDataSet(sql`t.id`, sql`t.created_by`)}`,
  );
  return found.one();
}

/** The attribute that most of these crosswalks map to. */
export function mostUsed(crosswalks: readonly { target: { fieldId: number } }[]): number | undefined {
  const uses = new Map<number, number>();
  for (const { target } of crosswalks) uses.set(target.fieldId, (uses.get(target.fieldId) ?? 0) + 1);
  return [...uses].sort(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || a - b)[0]?.[0];
}

/** Served pairs of these crosswalks, each with the system it belongs to. */
const servedPairs = (tables: Tables, crosswalks: readonly Crosswalk[]): Sql => sql`SELECT m.crosswalk_id, m.id,
    m.source_value, m.served_target, system.data_set_id
  FROM ${tables('crosswalk_mapping_values')} m
  JOIN unnest(${crosswalks.map(({ id }) => id)}::bigint[], ${crosswalks.map(({ sourceId }) => sourceId)}::bigint[])
    system (crosswalk_id, data_set_id) ON system.crosswalk_id = m.crosswalk_id
  WHERE m.served_target IS NOT NULL AND NOT m.deleted`;

interface Listed {
  targetValue: string;
  targetLabel: string | null;
  total: number;
  mappings: (ComparedCell['mappings'][number] & { dataSetId: number })[];
}

function findRows(
  readModels: ReadModels,
  asked: Asked,
  side: Side,
  crosswalks: readonly Crosswalk[],
  query: ComparisonQuery,
): Promise<Found<Listed>> {
  const conditions: Sql[] = [];
  const q = query.q?.trim();
  if (q) conditions.push(sql`(value ILIKE ${`%${escapeLike(q)}%`} OR label ILIKE ${`%${escapeLike(q)}%`})`);
  if (query.conflicts === 'true') conditions.push(sql`value IN (SELECT p.served_target FROM ambiguous p)`);
  return readModels.read<Listed>(
    asked,
    (tables) => sql`WITH pairs AS MATERIALIZED (${servedPairs(tables, crosswalks)}),
      ambiguous AS MATERIALIZED (
        SELECT DISTINCT p.data_set_id, p.source_value, p.served_target FROM pairs p JOIN (
          SELECT data_set_id, source_value FROM pairs GROUP BY 1, 2 HAVING count(DISTINCT served_target) > 1
        ) several USING (data_set_id, source_value)),
      listed AS (SELECT value, label FROM (${sideRows(tables, side)}) target WHERE ${all(conditions)}),
      shown AS (SELECT * FROM listed ORDER BY lower(value), value
        LIMIT ${query.pageSize} OFFSET ${(query.page - 1) * query.pageSize})
      SELECT shown.value AS "targetValue", shown.label AS "targetLabel", (SELECT count(*) FROM listed) AS total,
        coalesce((SELECT json_agg(json_build_object('dataSetId', p.data_set_id, 'crosswalkId', p.crosswalk_id,
            'mappingId', p.id, 'sourceValue', p.source_value, 'otherTargets', (
              SELECT coalesce(json_agg(other.served_target ORDER BY other.served_target), '[]') FROM ambiguous other
              WHERE other.data_set_id = p.data_set_id AND other.source_value = p.source_value
                AND other.served_target <> p.served_target))
            ORDER BY p.source_value, p.id)
          FROM pairs p WHERE p.served_target = shown.value), '[]') AS mappings
      FROM shown ORDER BY lower(shown.value), shown.value`,
  );
}

/** The cells of a row, one per system in their order. */
export function cellsOf(systems: readonly { dataSetId: number }[], mappings: Listed['mappings']): ComparedCell[] {
  return systems.map(({ dataSetId }) => {
    const own = mappings.filter((mapping) => mapping.dataSetId === dataSetId).map(({ dataSetId: _, ...rest }) => rest);
    const conflict = own.some((mapping) => mapping.otherTargets.length > 0);
    return { dataSetId, state: own.length === 0 ? 'absent' : conflict ? 'conflict' : 'agree', mappings: own };
  });
}

/** Source systems in the order of their names. */
export function systemsOf(crosswalks: readonly Omit<Crosswalk, 'target'>[]): ComparedSystem[] {
  const systems = new Map<number, ComparedSystem>();
  for (const { id, name, sourceId, sourceName } of crosswalks) {
    const system = systems.get(sourceId) ?? { dataSetId: sourceId, name: sourceName, crosswalks: [] };
    system.crosswalks.push({ id, name });
    systems.set(sourceId, system);
  }
  return [...systems.values()];
}

export const comparisonRoutes = ({ readModels }: Floor): Route[] => [
  route(
    'get',
    '/api/crosswalk/comparison/:targetDatasetId',
    { level: 'READ' },
    { query: ComparisonQuery },
    async (request) => {
      const viewer = viewerOf(request);
      const { query } = request;
      const targetId = idParam(request, 'targetDatasetId');
      const target = await findTarget(readModels, request, viewer, targetId);
      const found = await findCrosswalks(readModels, request, viewer, targetId);
      const fieldId = query.targetFieldId ?? mostUsed(found.rows);
      const crosswalks = found.rows.filter((crosswalk) => crosswalk.target.fieldId === fieldId);
      const side = crosswalks[0]?.target;
      if (fieldId === undefined || side === undefined) {
        if (query.targetFieldId !== undefined) throw new Refusal('NOT_FOUND', 'No crosswalk maps to this attribute');
        const { page, pageSize } = query;
        const nothing = { items: [], page, pageSize, total: 0, position: found.position, systems: [] };
        return answer(found, { ...nothing, targetDataSetId: targetId, targetName: target.name });
      }
      const rows = await findRows(readModels, request, side, crosswalks, query);
      const systems = systemsOf(crosswalks);
      const body: Comparison = {
        targetDataSetId: targetId,
        targetName: target.name,
        targetAttribute: side.fieldName,
        targetFieldId: fieldId,
        systems,
        items: rows.rows.map(({ targetValue, targetLabel, mappings }) => ({
          targetValue,
          targetLabel,
          cells: cellsOf(systems, mappings),
        })),
        page: query.page,
        pageSize: query.pageSize,
        total: rows.rows[0]?.total ?? 0,
        position: rows.position,
      };
      return answer(rows, body);
    },
  ),
];
