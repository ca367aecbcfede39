/** SQL for the saved filters and filter configurations that a viewer may read. */
import { type FilterConfigurationView, LISTS, type ListName, listKind } from '@rdm/contracts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../read-models/read-models.ts';
import { any, type Sql, sql } from '../read-models/sql.ts';

/** Condition: the viewer may read the list of a filter or configuration `f`. */
function mayReadList(tables: Tables, viewer: Viewer): Sql {
  const openListNames = (Object.keys(LISTS) as ListName[]).filter((name) => {
    const { route } = listKind(name);
    return route !== undefined && viewer.mayOpen(route);
  });
  const dataSetListNames = (Object.keys(LISTS) as ListName[]).filter((name) => listKind(name).of === 'data-set');
  return any([
    sql`f.list = ANY(${openListNames}::text[])`,
    sql`(f.list = ANY(${dataSetListNames}::text[]) AND EXISTS (SELECT FROM ${tables('reference_data_sets')} d
      WHERE d.id = f.subject_id AND ${viewer.hasLevelOnAll(tables, [sql`d.id`], 'READ')}))`,
    sql`(f.list = 'crosswalk' AND EXISTS (SELECT FROM ${tables('crosswalk_mappings')} c
      WHERE c.id = f.subject_id
        AND ${viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`], 'READ')}))`,
    sql`(f.list = 'relationship' AND EXISTS (SELECT FROM ${tables('relationships')} r
      WHERE r.id = f.subject_id
        AND ${viewer.hasLevelOnAll(tables, [sql`r.source_data_set_id`, sql`r.target_data_set_id`], 'READ')}))`,
  ]);
}

export const isOfEntity = (column: Sql, entity: string | undefined): Sql =>
  entity === undefined ? sql`true` : sql`${column} = ${entity}`;

/** Condition: the saved filter `f` belongs to the viewer, or it is shared and the viewer may read its list. */
export const mayUseFilter = (tables: Tables, viewer: Viewer): Sql =>
  sql`(f.owner_id = ${viewer.userId}::bigint OR (f.is_shared AND ${mayReadList(tables, viewer)}))`;

/**
 * The query for the filter configurations that the viewer may read, with current field names. `entity` undefined means
 * all lists.
 */
export const filterConfigurations = (tables: Tables, viewer: Viewer, entity: string | undefined): Sql =>
  sql`SELECT f.id, f.entity_type AS "entityType", coalesce(t.name, f.field_name) AS "fieldName",
      f.field_path AS "fieldPath", f.data_type AS "dataType", f.allowed_operators AS "allowedOperators",
      f.default_operator AS "defaultOperator", f.validation, f.display_name AS "displayName", f.description,
      f.is_active AS "isActive", f.revision, f.created_at AS "createdAt", f.updated_at AS "updatedAt"
    FROM ${tables('entity_filter_configurations')} f
    LEFT JOIN LATERAL (SELECT field ->> 'name' AS name
      FROM ${tables('reference_data_sets')} d
      JOIN ${tables('reference_data_types')} y ON y.id = d.type_id
      CROSS JOIN LATERAL jsonb_array_elements(y.fields) field
      WHERE f.field_id IS NOT NULL AND d.id = f.subject_id AND (field ->> 'fieldId')::bigint = f.field_id
      LIMIT 1) t ON true
    WHERE ${isOfEntity(sql`f.entity_type`, entity)} AND ${mayReadList(tables, viewer)}
    ORDER BY f.entity_type, lower(coalesce(t.name, f.field_name)), f.id`;

/** A version of a list's configurations, to detect changes. */
export const configurationsVersion = (tables: Tables, entity: string): Sql =>
  sql`(SELECT coalesce(string_agg(concat(f.id, ':', f.revision), ' ' ORDER BY f.id), '')
    FROM ${tables('entity_filter_configurations')} f WHERE f.entity_type = ${entity})`;

/** The same version as that of `configurationsVersion`, computed from all configurations of the list. */
export const versionOfConfigurations = (configurations: readonly FilterConfigurationView[]): string =>
  configurations
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, revision }) => `${id}:${revision}`)
    .join(' ');
