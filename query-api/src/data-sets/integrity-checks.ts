/**
 * SQL that finds broken references and cells of the wrong type. These issues are not stored, but computed from the
 * current rows.
 */
import type { DataType } from '@rdm/contracts';
import { displayedKey } from '../access/row-keys.ts';
import type { Viewer } from '../access/viewer.ts';
import { brokenMappings, ENDS, type End } from '../entities/broken-mappings.ts';
import { cellText } from '../entities/cells.ts';
import { type CrosswalkRecord, sidesOfCrosswalk } from '../entities/crosswalks.ts';
import { isMisfit } from '../list/filter/fields.ts';
import type { Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';

/** A field whose type was changed: its cells may have values of the former type. */
export interface RetypedField {
  fieldId: number;
  name: string;
  dataType: DataType;
}

/** The checks of a data set. */
export interface DataSetChecks {
  id: number;
  createdBy: number | null;
  retyped: RetypedField[];
  crosswalks: CrosswalkCheck[];
  relationships: RelationshipCheck[];
  /** Changes whenever the rows or the type of the data set change. */
  version: string;
}
export interface CrosswalkCheck extends CrosswalkRecord {
  /** Changes whenever the crosswalk, its mappings, or the rows or the type of either side change. */
  version: string;
}

export interface RelationshipCheck {
  id: number;
  name: string;
  sourceDataSetId: number;
  targetDataSetId: number;
  /** Changes whenever the relationship, its values, or the rows of either side change. */
  version: string;
}

const NO_ISSUES: Sql = sql`SELECT NULL::text AS id, NULL::text AS kind, NULL::bigint AS "instanceId", NULL::text AS key, NULL::text AS field,
  NULL::text AS value, NULL::text AS expected, NULL::text AS parent, NULL::bigint AS "parentId", NULL::text AS "parentName", NULL::bigint AS "valueId",
  NULL::text AS "sourceValue", NULL::text AS status WHERE false`;

/**
 * The query for the checks of the data sets that the viewer may read. Only cells of fields with a changed type can have
 * the wrong type, because writes are validated. Every change of rows updates a counter, so the transaction id of the
 * counter identifies a version of the rows.
 */
export function selectChecks(tables: Tables, viewer: Viewer, ids: readonly number[]): Sql {
  const counterVersion = (table: Sql, column: Sql, id: Sql) =>
    sql`coalesce((SELECT k.xmin::text FROM ${table} k WHERE ${column} = ${id}), '')`;
  const rowsVersion = (id: Sql) => counterVersion(tables('data_set_counts'), sql`k.data_set_id`, id);
  const crosswalkChecks = sql`SELECT c.id, c.name, c.similarity_threshold AS "similarityThreshold", c.served IS NOT NULL AS "isServed",
      c.served -> 'unmapped' AS unmapped, ${sidesOfCrosswalk},
      concat_ws(' ', c.revision, st.revision, tt.revision, ${rowsVersion(sql`s.id`)}, ${rowsVersion(sql`t.id`)},
        ${counterVersion(tables('mapping_counts'), sql`k.crosswalk_id`, sql`c.id`)}) AS version
    FROM ${tables('crosswalk_mappings')} c
    JOIN ${tables('reference_data_sets')} s ON s.id = c.source_system_id
    JOIN ${tables('reference_data_sets')} t ON t.id = c.target_system_id
    JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
    JOIN ${tables('reference_data_types')} tt ON tt.id = t.type_id
    WHERE d.id IN (s.id, t.id) AND ${viewer.hasLevelOnAll(tables, [sql`s.id`, sql`t.id`])} ORDER BY c.id`;
  const relationshipChecks = sql`SELECT r.id, r.name, r.source_data_set_id AS "sourceDataSetId", r.target_data_set_id AS "targetDataSetId",
      concat_ws(' ', r.revision, ${rowsVersion(sql`r.source_data_set_id`)}, ${rowsVersion(sql`r.target_data_set_id`)},
        ${counterVersion(tables('relationship_value_counts'), sql`k.relationship_id`, sql`r.id`)}) AS version
    FROM ${tables('relationships')} r WHERE d.id IN (r.source_data_set_id, r.target_data_set_id)
      AND ${viewer.hasLevelOnAll(tables, [sql`r.source_data_set_id`, sql`r.target_data_set_id`])} ORDER BY r.id`;
  const retyped = sql`SELECT (f ->> 'fieldId')::bigint AS "fieldId", f ->> 'name' AS name, f ->> 'dataType' AS "dataType"
    FROM jsonb_array_elements(y.fields) f
    WHERE NOT (f ->> 'retired')::boolean AND EXISTS (
      SELECT FROM ${tables.current('reference_data_types_history')} h, jsonb_array_elements(h.fields) before
       WHERE h.id = y.id AND before ->> 'fieldId' = f ->> 'fieldId' AND before ->> 'dataType' <> f ->> 'dataType')`;
  return sql`SELECT d.id, d.created_by AS "createdBy", concat_ws(' ', y.revision, ${rowsVersion(sql`d.id`)}) AS version,
      (SELECT coalesce(json_agg(each), '[]') FROM (${retyped}) each) AS retyped,
      (SELECT coalesce(json_agg(each), '[]') FROM (${crosswalkChecks}) each) AS crosswalks,
      (SELECT coalesce(json_agg(each), '[]') FROM (${relationshipChecks}) each) AS relationships
    FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} y ON y.id = d.type_id
    WHERE d.id = ANY(${ids}::bigint[]) AND ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`)} ORDER BY d.id`;
}

/** The query for cells of the wrong type, with the columns of an issue. */
export function misfitIssues(tables: Tables, { id, retyped }: Pick<DataSetChecks, 'id' | 'retyped'>): Sql {
  const each = retyped.map(
    ({
      fieldId,
      name,
      dataType,
    }) => sql`SELECT 'cell:' || i.id || ':' || ${String(fieldId)}::text AS id, 'WRONG_TYPE' AS kind,
        i.id AS "instanceId", ${displayedKey(sql`i.key`)} AS key, ${name}::text AS field, ${cellText(sql`i.data`, fieldId)} AS value,
        ${dataType}::text AS expected, NULL::text AS parent, NULL::bigint AS "parentId", NULL::text AS "parentName", NULL::bigint AS "valueId",
        NULL::text AS "sourceValue", NULL::text AS status
      FROM ${tables('instances')} i WHERE i.data_set_id = ${id}::bigint AND NOT i.deleted AND ${isMisfit('i.data', fieldId, dataType)}`,
  );
  return each.length === 0 ? NO_ISSUES : join(each, ' UNION ALL ');
}

/** The query for the number of cells of the wrong type. */
export function countMisfits(tables: Tables, { id, retyped }: Pick<DataSetChecks, 'id' | 'retyped'>): Sql {
  const each = retyped.map(
    ({ fieldId, dataType }) => sql`count(*) FILTER (WHERE ${isMisfit('i.data', fieldId, dataType)})`,
  );
  return sql`SELECT ${each.length === 0 ? sql`0` : join(each, ' + ')} AS "WRONG_TYPE" FROM ${tables('instances')} i
    WHERE i.data_set_id = ${id}::bigint AND NOT i.deleted AND ${each.length > 0}::boolean`;
}

/** The query for the broken mappings of a crosswalk, with the columns of an issue. */
export function brokenMappingIssues(tables: Tables, crosswalk: CrosswalkCheck): Sql {
  const each = ENDS.map((end) => {
    const value =
      end === 'source'
        ? sql`m.source_value`
        : sql`concat_ws(' · ', m.target_value, nullif(m.served_target, m.target_value))`;
    return sql`SELECT ${end}::text || ':' || m.crosswalk_id || ':' || m.id AS id, 'BROKEN_' || upper(${end}::text) AS kind,
        NULL::bigint AS "instanceId", NULL::text AS key, ${crosswalk[end].fieldName}::text AS field, ${value} AS value,
        NULL::text AS expected, 'crosswalk' AS parent, m.crosswalk_id AS "parentId", ${crosswalk.name}::text AS "parentName", m.id AS "valueId",
        m.source_value AS "sourceValue", m.approval_status AS status
      FROM ${tables('crosswalk_mapping_values')} m
      WHERE m.crosswalk_id = ${crosswalk.id}::bigint AND m.id IN (${brokenMappings(tables, crosswalk, end)})`;
  });
  return join(each, ' UNION ALL ');
}

/** The query for the number of broken mappings at each end of a crosswalk. */
export const countBroken = (tables: Tables, crosswalk: CrosswalkCheck): Sql =>
  sql`SELECT (SELECT count(*) FROM (${brokenMappings(tables, crosswalk, 'source')}) s) AS "BROKEN_SOURCE",
    (SELECT count(*) FROM (${brokenMappings(tables, crosswalk, 'target')}) t) AS "BROKEN_TARGET"`;

/** The query for values with a deleted or purged row: columns id (of the value) and gone (id of the row). */
function goneRows(tables: Tables, { id, ...ends }: RelationshipCheck, end: End): Sql {
  const [working, served] =
    end === 'source'
      ? [sql`v.source_instance_id`, sql`(v.served ->> 'sourceInstanceId')::bigint`]
      : [sql`v.target_instance_id`, sql`(v.served ->> 'targetInstanceId')::bigint`];
  return sql`SELECT DISTINCT v.id, referenced.gone FROM ${tables('relationship_values')} v,
      LATERAL (VALUES (${working}), (${served})) referenced (gone)
    WHERE v.relationship_id = ${id}::bigint AND NOT v.deleted AND referenced.gone IS NOT NULL AND NOT EXISTS (
      SELECT FROM ${tables('instances')} i
       WHERE i.data_set_id = ${ends[`${end}DataSetId`]}::bigint AND i.id = referenced.gone AND NOT i.deleted)`;
}

const goneRowsOfBothEnds = (tables: Tables, relationship: RelationshipCheck): Sql =>
  join(
    ENDS.map(
      (end) => sql`SELECT g.id, g.gone, ${relationship[`${end}DataSetId`]}::bigint AS data_set_id, ${end}::text AS "end"
        FROM (${goneRows(tables, relationship, end)}) g`,
    ),
    ' UNION ALL ',
  );

/** The query for relationship values that refer to deleted or purged rows, with the columns of an issue. */
export function brokenValueIssues(tables: Tables, relationship: RelationshipCheck): Sql {
  const key = (dataSetId: Sql, id: Sql) =>
    sql`(SELECT ${displayedKey(sql`i.key`)} FROM ${tables('instances')} i WHERE i.data_set_id = ${dataSetId} AND i.id = ${id})`;
  const source = key(sql`${relationship.sourceDataSetId}::bigint`, sql`v.source_instance_id`);
  return sql`SELECT 'value:' || v.relationship_id || ':' || v.id || ':' || x."end" || ':' || x.gone AS id, 'BROKEN_RELATIONSHIP' AS kind,
      NULL::bigint AS "instanceId", NULL::text AS key, x."end" AS field,
      coalesce(${key(sql`x.data_set_id`, sql`x.gone`)}, x.gone::text) AS value, NULL::text AS expected,
      'relationship' AS parent, v.relationship_id AS "parentId", ${relationship.name}::text AS "parentName", v.id AS "valueId",
      ${source} AS "sourceValue", v.approval_status AS status
    FROM (${goneRowsOfBothEnds(tables, relationship)}) x
    JOIN ${tables('relationship_values')} v ON v.relationship_id = ${relationship.id}::bigint AND v.id = x.id`;
}

export const countBrokenValues = (tables: Tables, relationship: RelationshipCheck): Sql =>
  sql`SELECT count(*) AS "BROKEN_RELATIONSHIP" FROM (${goneRowsOfBothEnds(tables, relationship)}) x`;

/** The query for all issues of a data set. */
export const issuesOf = (tables: Tables, dataSet: DataSetChecks): Sql =>
  join(
    [
      misfitIssues(tables, dataSet),
      ...dataSet.crosswalks.map((crosswalk) => brokenMappingIssues(tables, crosswalk)),
      ...dataSet.relationships.map((relationship) => brokenValueIssues(tables, relationship)),
    ],
    ' UNION ALL ',
  );
