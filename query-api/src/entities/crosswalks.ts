/** SQL and types of crosswalks that several modules use: header, sides and counts of mappings. */
import type { Unmapped } from '@rdm/contracts';
import { fieldName, isSynonymField, labelField } from '../access/label-field.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The ids of the label fields that a crosswalk chose in place of those of its data sets. */
export const chosenLabel = (crosswalk: Sql) => ({
  source: sql`(${crosswalk}.value ->> 'sourceLabelFieldId')::bigint`,
  target: sql`(${crosswalk}.value ->> 'targetLabelFieldId')::bigint`,
});

export const CHOSEN_LABEL = chosenLabel(sql`c`);

/** Counts of mappings by status: stored for today, computed for the past. */
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

/** A crosswalk, as routes other than its own read it. */
export interface CrosswalkRecord {
  id: number;
  name: string;
  similarityThreshold: number;
  /** The result of the approved definition for a value without a mapping; null if none is approved. */
  unmapped: Unmapped | null;
  /** Mappings are served only while the crosswalk is. */
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
  /** The label field next to the mapped one; null if there is none. */
  labelFieldId: number | null;
  /** String fields with synonyms, by their names. */
  synonymFieldIds: number[];
  /** The mapped field is a text and the whole key: a value identifies at most one row, found by key. */
  isKey: boolean;
}

/** The side of a data set `s` of type `st` under a field, as JSON, with the label field chosen for this side. */
export function sideColumn(dataSet: Sql, type: Sql, fieldId: Sql, chosenLabel: Sql): Sql {
  const field = sql`f ->> 'dataType' = 'string' AND NOT (f ->> 'retired')::boolean`;
  return sql`json_build_object('dataSetId', ${dataSet}.id, 'createdBy', ${dataSet}.created_by, 'name', ${dataSet}.name, 'fieldId', ${fieldId},
    'fieldName', ${fieldName(fieldId, sql`${type}.fields`)},
    'labelFieldId', ${labelField(dataSet, type, sql`ARRAY[${fieldId}]`, chosenLabel)},
    'synonymFieldIds', (SELECT coalesce(json_agg((f ->> 'fieldId')::bigint ORDER BY (f ->> 'fieldId')::bigint), '[]')
      FROM jsonb_array_elements(${type}.fields) f
      WHERE ${field} AND ${isSynonymField} AND (f ->> 'fieldId')::bigint <> ${fieldId}),
    'isKey', ${dataSet}.key_field_ids = ARRAY[${fieldId}]::bigint[] AND EXISTS (
      SELECT 1 FROM jsonb_array_elements(${type}.fields) f
      WHERE ${field} AND (f ->> 'fieldId')::bigint = ${fieldId}))`;
}

/** The columns `source` and `target` of a crosswalk `c` from `s` of type `st` to `t` of type `tt`. */
export const sidesOfCrosswalk: Sql = sql`${sideColumn(sql`s`, sql`st`, sql`c.source_field_id`, CHOSEN_LABEL.source)} AS source,
  ${sideColumn(sql`t`, sql`tt`, sql`c.target_field_id`, CHOSEN_LABEL.target)} AS target`;
