/** The list of data sets that a viewer may read: one definition for all routes that list them. */
import { DATA_SET_FIELDS, type DataSetView, type Level } from '@rdm/contracts';
import { fieldName, labelField } from '../access/label-field.ts';
import { levelOrNotFound, type Viewer } from '../access/viewer.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

export type DataSetRow = Omit<DataSetView, 'level' | 'primaryKeyField' | 'collections'> & {
  /** Only in lists of the past. In current lists, the collections come from the access state. */
  collections?: DataSetView['collections'];
};

/** The number of rows of the data set `d`. For the current number, the query must join `data_set_counts` as `n`. */
export const instanceCount = (tables: Tables): Sql =>
  tables.asOf === undefined
    ? sql`coalesce(n.instances, 0)`
    : sql`(SELECT count(*) FROM ${tables('instances')} i WHERE i.data_set_id = d.id AND NOT i.deleted)`;

/** The number of pending mappings and relationship values with the source `d` and a target that the viewer may read. */
export function pendingCount(tables: Tables, viewer: Viewer): Sql {
  const ofCrosswalk = sql`c.source_system_id = d.id AND ${viewer.hasLevelOnAll(tables, [sql`c.target_system_id`], 'READ')}`;
  const ofRelationship = sql`r.source_data_set_id = d.id AND ${viewer.hasLevelOnAll(tables, [sql`r.target_data_set_id`], 'READ')}`;
  return tables.asOf === undefined
    ? sql`(SELECT coalesce(sum(of.pending), 0) FROM (
        SELECT m.pending FROM ${tables('crosswalk_mappings')} c
          JOIN ${tables('mapping_counts')} m ON m.crosswalk_id = c.id WHERE ${ofCrosswalk}
        UNION ALL SELECT m.pending FROM ${tables('relationships')} r
          JOIN ${tables('relationship_value_counts')} m ON m.relationship_id = r.id WHERE ${ofRelationship}) of)`
    : sql`((SELECT count(*) FROM ${tables('crosswalk_mappings')} c
        JOIN ${tables('crosswalk_mapping_values')} v ON v.crosswalk_id = c.id
        WHERE ${ofCrosswalk} AND v.approval_status = 'PENDING' AND NOT v.deleted)
      + (SELECT count(*) FROM ${tables('relationships')} r
        JOIN ${tables('relationship_values')} v ON v.relationship_id = r.id
        WHERE ${ofRelationship} AND v.approval_status = 'PENDING' AND NOT v.deleted))`;
}

/** The number of crosswalks from or to the data set `d` with a source and a target that the viewer may read. */
const crosswalkCount = (tables: Tables, viewer: Viewer): Sql =>
  sql`(SELECT count(*) FROM ${tables('crosswalk_mappings')} c WHERE c.id = ANY(d.crosswalk_ids)
    AND ${viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`], 'READ')})`;

/** Joins `n`, the last change of a row of the data set `d` up to the requested time. */
const lastRowChange = (tables: Tables): Sql => sql`LEFT JOIN LATERAL (
    SELECT l.at AS updated_at, l.actor_id AS updated_by FROM ${tables.current('audit_logs')} l
     WHERE l.entity_type = 'instances' AND l.entity_id = d.id AND l.seq <= ${tables.asOf}::bigint
     ORDER BY l.seq DESC LIMIT 1) n ON true`;

/**
 * The collections of the data set `d` and their names at the requested time. The viewer sees collections by current
 * grants, and deleted collections by the last grants.
 */
const pastCollections = (tables: Tables, viewer: Viewer): Sql =>
  sql`(SELECT coalesce(json_agg(json_build_object('id', k.id, 'name', k.name) ORDER BY k.name), '[]')
    FROM ${tables('reference_data_collections')} k
    WHERE d.id = ANY(k.data_set_ids) AND k.id = ANY(${viewer.collectionIds()}::bigint[]))`;

/** The list of data sets on which the viewer has at least `minLevel`, by default the level that the route declares. */
export function dataSetList(tables: Tables, viewer: Viewer, minLevel?: Level): ListDefinition {
  const isCurrent = tables.asOf === undefined;
  const instances = instanceCount(tables);
  const pending = pendingCount(tables, viewer);
  const collectionIds = sql`ARRAY(SELECT k.id FROM ${tables('reference_data_collections')} k
    WHERE d.id = ANY(k.data_set_ids) AND k.id = ANY(${viewer.collectionIds()}::bigint[]))`;
  const updatedAt = sql`greatest(d.updated_at, n.updated_at)`;
  const columns = {
    id: sql`d.id`,
    name: sql`d.name`,
    description: sql`d.description`,
    typeId: sql`d.type_id`,
    typeName: sql`t.name`,
    primaryKeyFields: sql`(SELECT coalesce(json_agg(f ->> 'name' ORDER BY k.place), '[]')
        FROM unnest(d.key_field_ids) WITH ORDINALITY k(field_id, place)
        JOIN jsonb_array_elements(t.fields) f ON (f ->> 'fieldId')::bigint = k.field_id)`,
    labelField: fieldName(labelField(sql`d`, sql`t`, sql`d.key_field_ids`), sql`t.fields`),
    chosenLabelField: fieldName(sql`d.label_field_id`, sql`t.fields`),
    instanceCount: instances,
    pendingCount: pending,
    crosswalkCount: crosswalkCount(tables, viewer),
    isPublic: sql`d.is_public`,
    exclusiveJobId: sql`d.exclusive_job_id`,
    revision: sql`d.revision`,
    createdAt: sql`d.created_at`,
    createdBy: sql`d.created_by`,
    ...(!isCurrent && { collections: pastCollections(tables, viewer) }),
    updatedAt,
    updatedBy: sql`CASE WHEN n.updated_at > d.updated_at THEN n.updated_by ELSE d.updated_by END`,
  } satisfies Partial<Record<keyof DataSetRow, Sql>>;
  return {
    from: sql`${tables('reference_data_sets')} d
      JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
      ${isCurrent ? sql`LEFT JOIN ${tables('data_set_counts')} n ON n.data_set_id = d.id` : lastRowChange(tables)}`,
    where: viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`, minLevel),
    columns,
    alwaysSelected: ['id', 'revision', 'createdBy', 'primaryKeyFields'],
    fields: fieldMap(DATA_SET_FIELDS, columns, { collectionIds: sql`to_jsonb(${collectionIds})` }),
    search: [sql`d.name`, sql`d.description`, sql`t.name`],
    isSearchedByWords: true,
    id: sql`d.id`,
    defaultSort: { sql: sql`d.name`, dataType: 'string', order: 'ASC' },
  };
}

export const toDataSetView =
  (viewer: Viewer) =>
  (row: DataSetRow): DataSetView => ({
    ...row,
    primaryKeyField: row.primaryKeyFields.length === 1 ? (row.primaryKeyFields[0] ?? null) : null,
    collections: row.collections ?? viewer.collectionsOf(row.id),
    level: levelOrNotFound(viewer, row),
  });
