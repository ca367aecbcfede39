/** Saved filters and filter configurations that the viewer may read. */

import {
  type FieldIds,
  FilterConfigurationsQuery,
  FilterConfigurationView,
  SavedFiltersQuery,
  SavedFilterView,
  withCurrentFieldNames,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { filterConfigurations, isOfEntity, mayUseFilter } from '../entities/filters.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The field ids that were saved with a filter, and the current names of the fields of its data set. */
interface FieldNames {
  fieldIds: FieldIds;
  /** The current names by field id; null if the filter belongs to no data set or to a deleted one. */
  currentNames: Record<string, string> | null;
}

const savedFilters = (tables: Tables, viewer: Viewer, entity: string | undefined): Sql =>
  sql`SELECT f.id, f.name, f.entity, f.view, f.is_shared AS "isShared", f.owner_id AS "ownerId", f.revision,
      f.created_at AS "createdAt", f.updated_at AS "updatedAt", f.field_ids AS "fieldIds",
      (SELECT jsonb_object_agg(field ->> 'fieldId', field ->> 'name')
        FROM ${tables('reference_data_sets')} d
        JOIN ${tables('reference_data_types')} y ON y.id = d.type_id
        CROSS JOIN LATERAL jsonb_array_elements(y.fields) field
        WHERE f.list = 'data-set' AND d.id = f.subject_id) AS "currentNames"
    FROM ${tables('saved_filters')} f
    WHERE ${isOfEntity(sql`f.entity`, entity)} AND ${mayUseFilter(tables, viewer)}
    ORDER BY lower(f.name), f.id`;

/**
 * Replaces the saved names of fields in a filter with the current names. A filter that was saved without field ids is
 * unchanged.
 */
function withCurrentNames({ fieldIds, currentNames, ...filter }: SavedFilterView & FieldNames): SavedFilterView {
  const names = Object.entries(fieldIds).flatMap(([name, id]): [string, string][] => {
    const currentName = currentNames?.[id];
    return currentName === undefined ? [] : [[name, currentName]];
  });
  return { ...filter, view: withCurrentFieldNames(filter.view, new Map(names)) };
}

export const filterRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/saved-filters',
    { person: true },
    {
      summary: 'List the saved filters of the caller, and the shared ones of lists that the caller may read',
      answers: { 200: z.object({ items: z.array(SavedFilterView), total: z.number() }) },
      query: SavedFiltersQuery,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const { entity } = request.query;
      const result = await readModels.read<SavedFilterView & FieldNames>(request, (tables) =>
        savedFilters(tables, viewer, entity),
      );
      return answer(result, { items: result.rows.map(withCurrentNames), total: result.rows.length });
    },
  ),

  route(
    'get',
    '/api/filter-configurations',
    { signedIn: true },
    {
      summary: 'List the configurations of filters',
      answers: { 200: z.object({ items: z.array(FilterConfigurationView), total: z.number() }) },
      query: FilterConfigurationsQuery,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const { entity } = request.query;
      const result = await readModels.read<FilterConfigurationView>(request, (tables) =>
        filterConfigurations(tables, viewer, entity),
      );
      return answer(result, { items: result.rows, total: result.rows.length });
    },
  ),
];
