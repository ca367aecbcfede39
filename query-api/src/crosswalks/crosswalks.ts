/** Routes of crosswalks: the list, a crosswalk and its statistics, for viewers who may read both data sets. */

import {
  CROSSWALK_FIELDS,
  CROSSWALK_INCLUDES,
  CrosswalkIncluded,
  CrosswalkView,
  type IncludedMapping,
  pageOf,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { fieldName, labelField } from '../access/label-field.ts';
import { levelOrNotFound, type Viewer, viewerOf } from '../access/viewer.ts';
import { mappedText, normalised } from '../entities/cells.ts';
import {
  CHOSEN_LABEL,
  type CrosswalkRecord,
  mappingCounts,
  type Side,
  sidesOfCrosswalk,
} from '../entities/crosswalks.ts';
import { IncludeQuery } from '../http/include-query.ts';
import { requestedIncludes } from '../http/requested-names.ts';
import type { Freezable } from '../list/freezable.ts';
import { listRows, oneRow } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type ReadResult, type Tables } from '../read-models/read-models.ts';
import { type Sql, sameIndexedText, sql } from '../read-models/sql.ts';
import { DefinitionsQuery, freezableDefinitions, isListed } from '../review/definition-list.ts';
import { COUNTS_JSON } from '../review/value-counts.ts';
import { includedMappings } from './included-mappings.ts';

/** For a source with more rows, the mapped share is estimated from stored counters of distinct values. */
const COUNTED_ROWS_MAX = 20_000;

type Row = Omit<CrosswalkView, 'level'> & { sourceCreatedBy: number | null };

/** The percentage of source rows whose value has a served mapping; null without source rows, and as of the past. */
function mappedPercent(tables: Tables): Sql {
  if (tables.asOf !== undefined) return sql`NULL::double precision`;
  const mapped = sql`(SELECT count(*) FROM ${tables('instances')} i
    WHERE i.data_set_id = c.source_system_id AND NOT i.deleted
      AND ${normalised(sql`(i.data ->> c.source_field_id::text)`)} IN (SELECT m.source_value FROM ${tables('crosswalk_mapping_values')} m
        WHERE m.crosswalk_id = c.id AND m.served_target IS NOT NULL AND NOT m.deleted))`;
  return sql`(SELECT CASE
      WHEN coalesce(k.instances, 0) = 0 THEN NULL
      WHEN k.instances > ${COUNTED_ROWS_MAX}::bigint THEN least(100, round(100.0 * coalesce(n.mapped_sources, 0) / k.instances, 1))
      ELSE least(100, round(100.0 * ${mapped} / k.instances, 1)) END::double precision
    FROM (SELECT 1) one LEFT JOIN ${tables('data_set_counts')} k ON k.data_set_id = c.source_system_id)`;
}

/**
 * Condition: a missing mapping `mm` is not ignored, and its value has no served mapping. OFFSET 0 makes PostgreSQL use
 * the index for each row: the statistics of a new crosswalk assume one row, and lead to a slower plan.
 */
export const isMissing = (tables: Tables): Sql => sql`(NOT mm.ignored AND NOT EXISTS (
  SELECT 1 FROM ${tables.current('crosswalk_mapping_values')} answered WHERE answered.crosswalk_id = mm.crosswalk_id
    AND ${sameIndexedText(sql`answered.source_value`, sql`mm.source_value`)} AND answered.served_target IS NOT NULL
    AND NOT answered.deleted OFFSET 0))`;

/** The number of missing mappings; null as of the past, because only current missing mappings are stored. */
const missingCount = (tables: Tables): Sql =>
  tables.asOf !== undefined
    ? sql`NULL::bigint`
    : sql`(SELECT count(*) FROM ${tables.current('missing_mappings')} mm WHERE mm.crosswalk_id = c.id AND ${isMissing(tables)})`;

function definition(tables: Tables, viewer: Viewer, deleted = false): ListDefinition {
  const lastApprovedAt = sql`greatest(c.last_approved_at, n.last_approved_at)`;
  const columns = {
    id: sql`c.id`,
    name: sql`c.name`,
    description: sql`c.description`,
    sourceSystemId: sql`c.source_system_id`,
    targetSystemId: sql`c.target_system_id`,
    sourceName: sql`s.name`,
    targetName: sql`t.name`,
    sourceAttribute: fieldName(sql`c.source_field_id`, sql`st.fields`),
    targetAttribute: fieldName(sql`c.target_field_id`, sql`tt.fields`),
    sourceLabelField: fieldName(
      labelField(sql`s`, sql`st`, sql`ARRAY[c.source_field_id]`, CHOSEN_LABEL.source),
      sql`st.fields`,
    ),
    targetLabelField: fieldName(
      labelField(sql`t`, sql`tt`, sql`ARRAY[c.target_field_id]`, CHOSEN_LABEL.target),
      sql`tt.fields`,
    ),
    chosenSourceLabelField: fieldName(CHOSEN_LABEL.source, sql`st.fields`),
    chosenTargetLabelField: fieldName(CHOSEN_LABEL.target, sql`tt.fields`),
    sourceFieldId: sql`c.source_field_id`,
    targetFieldId: sql`c.target_field_id`,
    similarityThreshold: sql`c.similarity_threshold`,
    cardinality: sql`c.value ->> 'cardinality'`,
    unmapped: sql`c.value -> 'unmapped'`,
    approvalStatus: sql`c.approval_status`,
    deletionRequested: sql`c.deletion_requested`,
    isServed: sql`(c.served IS NOT NULL)`,
    submittedBy: sql`c.submitted_by`,
    approvedBy: sql`c.approved_by`,
    approvedAt: sql`c.approved_at`,
    authors: sql`c.authors`,
    deleted: sql`c.deleted`,
    counts: COUNTS_JSON,
    mappedPercent: mappedPercent(tables),
    missingCount: missingCount(tables),
    revision: sql`c.revision`,
    lastApprovedAt,
    createdAt: sql`c.created_at`,
    updatedBy: sql`c.updated_by`,
    updatedAt: sql`c.updated_at`,
    sourceCreatedBy: sql`s.created_by`,
  };
  return {
    from: sql`${deleted ? tables.withDeleted('crosswalk_mappings') : tables('crosswalk_mappings')} c
      JOIN ${tables('reference_data_sets')} s ON s.id = c.source_system_id
      JOIN ${tables('reference_data_sets')} t ON t.id = c.target_system_id
      JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
      JOIN ${tables('reference_data_types')} tt ON tt.id = t.type_id
      LEFT JOIN ${mappingCounts(tables)} n ON n.crosswalk_id = c.id`,
    where: sql`${isListed(sql`c`, deleted)} AND ${viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`])}`,
    columns,
    alwaysSelected: ['id', 'revision', 'sourceSystemId', 'sourceCreatedBy'],
    fields: fieldMap(CROSSWALK_FIELDS, columns, {
      cardinality: sql`(c.value ->> 'cardinality')`,
      pending: sql`coalesce(n.pending, 0)::numeric`,
      served: sql`coalesce(n.served, 0)::numeric`,
    }),
    search: [sql`c.name`, sql`c.description`, sql`s.name`, sql`t.name`],
    isSearchedByWords: true,
    id: sql`c.id`,
    defaultSort: { sql: sql`c.name`, dataType: 'string', order: 'ASC' },
  };
}

/** Adds the viewer's level: the level on the source data set, which governs the crosswalk. */
const toView =
  (viewer: Viewer) =>
  ({ sourceCreatedBy, ...row }: Row): CrosswalkView => ({
    ...row,
    level: levelOrNotFound(viewer, { id: row.sourceSystemId, createdBy: sourceCreatedBy }),
  });

/** Finds a crosswalk that the viewer may read or, for `translate`, may translate with. Throws 404 if there is none. */
export async function findCrosswalk(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  id: number,
  purpose: 'read' | 'translate' = 'read',
): Promise<CrosswalkRecord> {
  const build = (tables: Tables) => {
    const { from, where: readable } = definition(tables, viewer);
    const where =
      purpose === 'read' ? readable : sql`((${readable}) OR ${viewer.mayTranslateFrom(sql`c.source_system_id`)})`;
    return sql`SELECT c.id, c.name, c.similarity_threshold AS "similarityThreshold", c.served IS NOT NULL AS "isServed",
        c.served -> 'unmapped' AS unmapped, ${sidesOfCrosswalk}
      FROM ${from} WHERE ${where} AND c.id = ${id}::bigint`;
  };
  return (await readModels.read<CrosswalkRecord>(readRequest, build, { isFrequent: true })).one();
}

/**
 * Reads a crosswalk with a prepared statement: open pages repeat the statement after every change, and planning it
 * takes longer than running it.
 */
const findView = (
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  id: number,
): Promise<ReadResult<Row>> =>
  readModels.read<Row>(readRequest, (tables) => oneRow(definition(tables, viewer), sql`c.id = ${id}::bigint`), {
    isFrequent: true,
  });

/** Reads a crosswalk with its first mappings. The statement is not prepared, because requests for it are rare. */
function findWithMappings(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  id: number,
): Promise<ReadResult<Row & { mappings: IncludedMapping[] }>> {
  return readModels.read(readRequest, (tables) => {
    const list = definition(tables, viewer);
    const columns = { ...list.columns, mappings: includedMappings(tables, id) };
    return oneRow({ ...list, columns }, sql`c.id = ${id}::bigint`);
  });
}

/** GET /api/crosswalks/{id}/statistics. */
const CrosswalkStatistics = CrosswalkView.pick({
  counts: true,
  mappedPercent: true,
  missingCount: true,
  lastApprovedAt: true,
}).extend({
  sourceRows: z.number().describe('The number of rows of the source.'),
  targetRows: z.number().describe('The number of rows of the target.'),
  brokenSources: z.number().describe('The number of served mappings whose source value no row of the source has.'),
  brokenTargets: z.number().describe('The number of served mappings whose target value no row of the target has.'),
  ambiguousSources: z.number().describe('The number of source values with more than one served target.'),
  ambiguousTargets: z.number().describe('The number of target values with more than one served source.'),
});
export type CrosswalkStatistics = z.infer<typeof CrosswalkStatistics>;

async function findStatistics(readModels: ReadModels, readRequest: ReadRequest, crosswalk: CrosswalkRecord) {
  const { source, target } = crosswalk;
  return readModels.read<Omit<CrosswalkStatistics, 'counts' | 'mappedPercent' | 'missingCount' | 'lastApprovedAt'>>(
    readRequest,
    (tables) => {
      const rows = ({ dataSetId }: Side) =>
        sql`(SELECT coalesce(max(k.instances), 0) FROM ${tables('data_set_counts')} k WHERE k.data_set_id = ${dataSetId}::bigint)`;
      const values = ({ dataSetId, fieldId }: Side) =>
        sql`(SELECT ${mappedText(sql`i.data`, fieldId)} AS value FROM ${tables('instances')} i
          WHERE i.data_set_id = ${dataSetId}::bigint AND NOT i.deleted)`;
      return sql`WITH served AS (SELECT source_value, served_target FROM ${tables('crosswalk_mapping_values')}
          WHERE crosswalk_id = ${crosswalk.id}::bigint AND served_target IS NOT NULL AND NOT deleted)
        SELECT ${rows(source)} AS "sourceRows", ${rows(target)} AS "targetRows",
          (SELECT count(*) FROM served WHERE NOT EXISTS (
            SELECT 1 FROM ${values(source)} held WHERE held.value = served.source_value)) AS "brokenSources",
          (SELECT count(*) FROM served WHERE NOT EXISTS (
            SELECT 1 FROM ${values(target)} held WHERE held.value = served.served_target)) AS "brokenTargets",
          (SELECT count(*) FROM (SELECT 1 FROM served GROUP BY source_value HAVING count(DISTINCT served_target) > 1) several)
            AS "ambiguousSources",
          (SELECT count(*) FROM (SELECT 1 FROM served GROUP BY served_target HAVING count(DISTINCT source_value) > 1) several)
            AS "ambiguousTargets"`;
    },
  );
}

export const freezableCrosswalks: Freezable = freezableDefinitions(definition, sql`c.id, c.revision`);

export const crosswalkRoutes = ({ readModels, freezable }: QueryContext): Route[] => {
  freezable.set('crosswalks', freezableCrosswalks);
  return [
    route(
      'get',
      '/api/crosswalks',
      { route: '/crosswalks', level: 'READ' },
      { summary: 'List the crosswalks', answers: { 200: pageOf(CrosswalkView) }, query: DefinitionsQuery },
      (request) => {
        const viewer = viewerOf(request);
        const deleted = request.query.deleted === 'true';
        return listRows(readModels, request, (tables) => definition(tables, viewer, deleted), toView(viewer));
      },
    ),

    route(
      'get',
      '/api/crosswalks/:id',
      { level: 'READ' },
      {
        summary: 'Read a crosswalk',
        errors: ['PURGED'],
        answers: { 200: CrosswalkView.extend(CrosswalkIncluded.shape) },
        query: IncludeQuery,
      },
      async (request) => {
        const viewer = viewerOf(request);
        const id = idParam(request);
        if (requestedIncludes(request.query.include, CROSSWALK_INCLUDES).length === 0) {
          const found = await findView(readModels, request, viewer, id);
          return answer(found, toView(viewer)(found.one()));
        }
        const found = await findWithMappings(readModels, request, viewer, id);
        const { mappings, ...row } = found.one();
        const { sourceAttribute, targetAttribute, sourceFieldId: sourceField, targetFieldId: targetField } = row;
        const body: CrosswalkView & CrosswalkIncluded = {
          ...toView(viewer)(row),
          mappingData: { sourceAttribute, targetAttribute, sourceField, targetField, mappings },
        };
        return answer(found, body);
      },
    ),

    route(
      'get',
      '/api/crosswalks/:id/statistics',
      { level: 'READ' },
      {
        summary: 'Count the mappings of a crosswalk and their problems',
        hasPast: false,
        answers: { 200: CrosswalkStatistics },
      },
      async (request) => {
        const viewer = viewerOf(request);
        const today: ReadRequest = { minPosition: request.minPosition };
        const found = await findView(readModels, today, viewer, idParam(request));
        const { counts, mappedPercent, missingCount, lastApprovedAt } = found.one();
        const crosswalk = await findCrosswalk(readModels, today, viewer, idParam(request));
        const statistics = (await findStatistics(readModels, today, crosswalk)).one();
        const body: CrosswalkStatistics = { counts, mappedPercent, missingCount, lastApprovedAt, ...statistics };
        return answer(found, body);
      },
    ),
  ];
};
