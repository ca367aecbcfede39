/** SQL and types of crosswalks that several modules use: the crosswalk itself, its sides and its counts of mappings. */
import type { Unmapped } from '@rdm/contracts';
import { fieldName, isSynonymField, labelField } from '../access/label-field.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The ids of the label fields that a crosswalk uses in place of the label fields of its data sets. */
export const chosenLabel = (crosswalk: Sql) => ({
  source: sql`(${crosswalk}.value ->> 'sourceLabelFieldId')::bigint`,
  target: sql`(${crosswalk}.value ->> 'targetLabelFieldId')::bigint`,
});

export const CHOSEN_LABEL = chosenLabel(sql`c`);

/** The query for counts of mappings by status: current counts are stored, counts as of the past are computed. */
export function mappingCounts(tables: Tables): Sql {
  if (tables.asOf === undefined) return tables('mapping_counts');
  return sql`(SELECT crosswalk_id, count(*) FILTER (WHERE approval_status = 'DRAFT') AS draft,
      count(*) FILTER (WHERE approval_status = 'PENDING') AS pending,
      count(*) FILTER (WHERE approval_status = 'APPROVED') AS approved,
      count(*) FILTER (WHERE approval_status = 'REJECTED') AS rejected,
      count(*) FILTER (WHERE served_target IS NOT NULL) AS served,
      count(DISTINCT source_value) FILTER (WHERE served_target IS NOT NULL) AS mapped_sources,
      max(approved_at) AS last_approved_at
    FROM ${tables('crosswalk_mapping_values')} WHERE NOT deleted GROUP BY crosswalk_id)`;
}

/** The columns of a crosswalk that several modules need. */
export interface CrosswalkRecord {
  id: number;
  name: string;
  similarityThreshold: number;
  /** The fallback of the approved definition for values without a mapping; null if there is none. */
  unmapped: Unmapped | null;
  /** Whether the crosswalk is served. If false, no mapping of the crosswalk is served. */
  isServed: boolean;
  source: Side;
  target: Side;
}

/** One side of a crosswalk: its data set, the mapped field and the label field. */
export interface Side {
  dataSetId: number;
  createdBy: number | null;
  name: string;
  fieldId: number;
  fieldName: string;
  /** The label field, which is never the mapped field; null if there is none. */
  labelFieldId: number | null;
  /** Text fields that contain synonyms, recognised by their names. */
  synonymFieldIds: number[];
  /** Whether the mapped field is a text and the whole key, so that a lookup by key finds the row of a value. */
  isKey: boolean;
}

/**
 * A column with a `Side` as JSON. `dataSet` and `type` are the aliases of the data set and of its type; `chosenLabel`
 * is null if the crosswalk uses the label field of the data set.
 */
export function sideColumn(dataSet: Sql, type: Sql, fieldId: Sql, chosenLabel: Sql): Sql {
  const isActiveText = sql`f ->> 'dataType' = 'string' AND NOT (f ->> 'retired')::boolean`;
  return sql`json_build_object('dataSetId', ${dataSet}.id, 'createdBy', ${dataSet}.created_by, 'name', ${dataSet}.name, 'fieldId', ${fieldId},
    'fieldName', ${fieldName(fieldId, sql`${type}.fields`)},
    'labelFieldId', ${labelField(dataSet, type, sql`ARRAY[${fieldId}]`, chosenLabel)},
    'synonymFieldIds', (SELECT coalesce(json_agg((f ->> 'fieldId')::bigint ORDER BY (f ->> 'fieldId')::bigint), '[]')
      FROM jsonb_array_elements(${type}.fields) f
      WHERE ${isActiveText} AND ${isSynonymField} AND (f ->> 'fieldId')::bigint <> ${fieldId}),
    'isKey', ${dataSet}.key_field_ids = ARRAY[${fieldId}]::bigint[] AND EXISTS (
      SELECT 1 FROM jsonb_array_elements(${type}.fields) f
      WHERE ${isActiveText} AND (f ->> 'fieldId')::bigint = ${fieldId}))`;
}

/** The columns `source` and `target` of a crosswalk `c` from `s` of type `st` to `t` of type `tt`. */
export const sidesOfCrosswalk: Sql = sql`${sideColumn(sql`s`, sql`st`, sql`c.source_field_id`, CHOSEN_LABEL.source)} AS source,
  ${sideColumn(sql`t`, sql`tt`, sql`c.target_field_id`, CHOSEN_LABEL.target)} AS target`;
