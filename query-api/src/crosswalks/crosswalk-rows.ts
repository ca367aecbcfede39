/** SQL for the values of the sides of a crosswalk, for unmapped values, and for dismissed suggestions. */
import { DISMISSED_SUGGESTION_FIELDS, type MappingView, UNMAPPED_VALUE_FIELDS } from '@rdm/contracts';
import { cellText, keyOf, mappedText } from '../entities/cells.ts';
import type { CrosswalkRecord, Side } from '../entities/crosswalks.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { ReadModels, ReadRequest, Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';

/** The synonyms of a row as one text; null if the row has no synonyms or the side has no synonym fields. */
const synonymsText = (data: Sql, { synonymFieldIds }: Side): Sql =>
  synonymFieldIds.length === 0
    ? sql`NULL::text`
    : sql`nullif(concat_ws('|', ${join(
        synonymFieldIds.map((id) => cellText(data, id)),
        ', ',
      )}), '')`;

/** The query for the distinct nonempty values of a side: id of the first row with the value, value, label, synonyms. */
export function sideRows(tables: Tables, side: Side, where: Sql = sql`true`): Sql {
  const rows = sql`${tables('instances')} i
    WHERE i.data_set_id = ${side.dataSetId}::bigint AND NOT i.deleted
      AND ${cellText(sql`i.data`, side.fieldId)} <> '' AND ${where}`;
  const columns = sql`i.id, ${mappedText(sql`i.data`, side.fieldId)} AS value, ${cellText(sql`i.data`, side.labelFieldId)} AS label,
    ${synonymsText(sql`i.data`, side)} AS synonyms`;
  return side.isKey
    ? sql`SELECT ${columns} FROM ${rows}`
    : // Use the alias: the field id is a parameter, so PostgreSQL would not recognise the repeated expression.
      sql`SELECT DISTINCT ON (held.value COLLATE "C") held.* FROM (SELECT ${columns} FROM ${rows}) held
          ORDER BY held.value COLLATE "C", held.id`;
}

/** Condition: a row `i` of a side has one of these normalised values. Keys are searched by the index of keys. */
export function hasOneOf(side: Side, values: readonly string[]): Sql {
  const cell = sql`${mappedText(sql`i.data`, side.fieldId)} = ANY(${values}::text[])`;
  if (!side.isKey) return cell;
  return sql`i.key = ANY(ARRAY(SELECT ${keyOf(sql`wanted.value`)} FROM unnest(${values}::text[]) wanted (value))) AND ${cell}`;
}

/** Returns the labels of the rows with these values, by value. */
export async function labelsOf(
  readModels: ReadModels,
  readRequest: ReadRequest,
  side: Side,
  values: readonly string[],
): Promise<Map<string, string | null>> {
  if (values.length === 0) return new Map();
  const result = await readModels.read<LabelledRow>(readRequest, (tables) => labelledRows(tables, side, values));
  return new Map(result.rows.map(({ value, label }) => [value, label]));
}

export interface LabelledRow {
  value: string;
  label: string | null;
}

/** The query for the rows of a side that have one of the values: columns value and label. */
export const labelledRows = (tables: Tables, side: Side, values: readonly string[]): Sql =>
  sql`SELECT value, label FROM (${sideRows(tables, side, hasOneOf(side, values))}) named`;

/**
 * The query for source values without a mapping: columns id, value, label. A join would be slow: after many drafts,
 * the planner still assumes few mappings, and scans all mappings for each row.
 */
function unmappedRows(tables: Tables, crosswalk: CrosswalkRecord): Sql {
  return sql`SELECT max(grouped.id) AS id, grouped.value, max(grouped.label) AS label FROM (
      SELECT s.id, s.value, s.label, false AS mapped FROM (${sideRows(tables, crosswalk.source)}) s
      UNION ALL
      SELECT NULL, m.source_value, NULL, true FROM ${tables('crosswalk_mapping_values')} m
        WHERE m.crosswalk_id = ${crosswalk.id}::bigint AND NOT m.deleted) grouped
    GROUP BY grouped.value HAVING NOT bool_or(grouped.mapped)`;
}

/** The list of source values without a mapping. The id of a value is the id of one of its rows. */
export function unmappedValues(tables: Tables, crosswalk: CrosswalkRecord): ListDefinition {
  const columns = { id: sql`u.id`, sourceValue: sql`u.value`, sourceLabel: sql`u.label` };
  return {
    from: sql`(${unmappedRows(tables, crosswalk)}) u`,
    where: sql`true`,
    columns,
    alwaysSelected: ['id', 'sourceValue', 'sourceLabel'],
    fields: fieldMap(UNMAPPED_VALUE_FIELDS, columns, {}),
    search: [sql`u.value`, sql`u.label`],
    id: sql`u.id`,
    defaultSort: { sql: sql`u.value`, dataType: 'string', order: 'ASC' },
  };
}

/** The list of dismissed suggestions, with user and time, in the columns of a mapping. */
export function dismissedPairs(tables: Tables, crosswalk: CrosswalkRecord): ListDefinition {
  const columns = {
    id: sql`d.id`,
    sourceValue: sql`d.source_value`,
    targetValue: sql`d.target_value`,
    updatedBy: sql`d.dismissed_by`,
    updatedAt: sql`d.dismissed_at`,
  };
  return {
    from: sql`${tables('dismissed_suggestions')} d`,
    where: sql`d.crosswalk_id = ${crosswalk.id}::bigint`,
    columns,
    alwaysSelected: ['id', 'sourceValue', 'targetValue'],
    fields: fieldMap(DISMISSED_SUGGESTION_FIELDS, columns, {}),
    search: [sql`d.source_value`, sql`d.target_value`],
    id: sql`d.id`,
    defaultSort: { sql: sql`d.dismissed_at`, dataType: 'datetime', order: 'DESC' },
  };
}

export type DismissedPair = Pick<MappingView, 'id' | 'sourceValue' | 'targetValue' | 'updatedBy' | 'updatedAt'>;

export interface UnmappedValue {
  id: number;
  sourceValue: string;
  sourceLabel: string | null;
}

/** Returns a source value without a mapping in the shape of a mapping with revision 0. */
export const withoutMapping = (crosswalkId: number, value: UnmappedValue): MappingView => ({
  ...value,
  revision: 0,
  crosswalkId,
  targetValue: '',
  targetLabel: null,
  sourceMissing: false,
  targetMissing: false,
  servedMissing: false,
  confidence: 0,
  status: 'DRAFT',
  served: null,
  deletionRequested: false,
  authors: [],
  createdBy: null,
  createdAt: null,
  submittedBy: null,
  submittedAt: null,
  submissionComment: null,
  approvedBy: null,
  approvedAt: null,
  rejectedBy: null,
  rejectedAt: null,
  rejectionReason: null,
  deleted: false,
  updatedBy: null,
  updatedAt: '',
  impact: null,
});
