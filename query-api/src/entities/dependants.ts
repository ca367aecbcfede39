/**
 * Finds the data sets and definitions that a change of a type or data set affects. Names only those that the viewer may
 * read.
 */
import type { DependencyAnalysis } from '@rdm/contracts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { mappingCounts } from './crosswalks.ts';
import { instanceCount } from './data-set-list.ts';

export interface Dependants {
  datasets: { id: number; name: string; createdBy: number | null; instanceCount: number }[];
  relationships: Ends[];
  crosswalkMappings: (Ends & { mappingCount: number })[];
  primaryKeyFields: { name: string; isReferenced: boolean }[];
}
interface Ends {
  id: number;
  name: string;
  source: string;
  target: string;
  sourceId: number;
  sourceCreatedBy: number | null;
  targetId: number;
  targetCreatedBy: number | null;
}

const list = (query: Sql): Sql => sql`(SELECT coalesce(json_agg(each), '[]') FROM (${query}) each)`;

/**
 * The query for one row of Dependants: the data sets that `ids` selects, the definitions that depend on them, and the
 * key fields of a type.
 */
export function selectDependants(tables: Tables, { ids, typeId }: { ids: Sql; typeId: Sql }): Sql {
  const ends = sql`s.name AS source, s.id AS "sourceId", s.created_by AS "sourceCreatedBy",
    t.name AS target, t.id AS "targetId", t.created_by AS "targetCreatedBy"`;
  const join = (source: Sql, target: Sql) => sql`
    JOIN ${tables('reference_data_sets')} s ON s.id = ${source}
    JOIN ${tables('reference_data_sets')} t ON t.id = ${target}`;
  const isAffected = sql`s.id IN (${ids}) OR t.id IN (${ids})`;
  return sql`SELECT
    ${list(sql`SELECT d.id, d.name, d.created_by AS "createdBy", ${instanceCount(tables)} AS "instanceCount"
      FROM ${tables('reference_data_sets')} d
      LEFT JOIN ${tables.current('data_set_counts')} n ON n.data_set_id = d.id
      WHERE d.id IN (${ids}) ORDER BY d.name, d.id`)} AS datasets,
    ${list(sql`SELECT r.id, r.name, ${ends}
      FROM ${tables('relationships')} r ${join(sql`r.source_data_set_id`, sql`r.target_data_set_id`)}
      WHERE ${isAffected} ORDER BY r.name, r.id`)} AS relationships,
    ${list(sql`SELECT c.id, c.name, coalesce(m.draft + m.pending + m.approved + m.rejected, 0) AS "mappingCount", ${ends}
      FROM ${tables('crosswalk_mappings')} c ${join(sql`c.source_system_id`, sql`c.target_system_id`)}
      LEFT JOIN ${mappingCounts(tables)} m ON m.crosswalk_id = c.id
      WHERE ${isAffected} ORDER BY c.name, c.id`)} AS "crosswalkMappings",
    ${list(sql`SELECT f ->> 'name' AS name, jsonb_array_length(f -> 'referencedBy') > 0 AS "isReferenced"
      FROM ${tables('reference_data_types')} y, jsonb_array_elements(y.fields) f
      WHERE y.id = ${typeId} AND (f ->> 'isPrimaryKey')::boolean AND NOT (f ->> 'retired')::boolean`)} AS "primaryKeyFields"`;
}

/**
 * Lists the dependants that the viewer may read, and counts the others. `totalAffectedInstances` is the number of rows
 * of all affected data sets, including data sets that the viewer may not read.
 */
export function toDependencyAnalysis(dependants: Dependants, viewer: Viewer): DependencyAnalysis {
  const readable = (ends: Ends) =>
    viewer.hasDeclaredLevel({ id: ends.sourceId, createdBy: ends.sourceCreatedBy }) &&
    viewer.hasDeclaredLevel({ id: ends.targetId, createdBy: ends.targetCreatedBy });
  const datasets = dependants.datasets.filter(viewer.hasDeclaredLevel);
  const relationships = dependants.relationships.filter(readable);
  const crosswalkMappings = dependants.crosswalkMappings.filter(readable);
  return {
    datasets: datasets.map(({ id, name, instanceCount }) => ({
      id,
      name,
      collection: viewer.collectionsOf(id)[0]?.name ?? null,
      instanceCount,
    })),
    relationships: relationships.map(({ id, name, source, target }) => ({ id, name, source, target })),
    crosswalkMappings: crosswalkMappings.map(({ id, name, source, target, mappingCount }) => ({
      id,
      name,
      source,
      target,
      mappingCount,
    })),
    primaryKeyFields: dependants.primaryKeyFields,
    totalAffectedInstances: dependants.datasets.reduce((sum, { instanceCount }) => sum + instanceCount, 0),
    hidden: {
      datasets: dependants.datasets.length - datasets.length,
      relationships: dependants.relationships.length - relationships.length,
      crosswalkMappings: dependants.crosswalkMappings.length - crosswalkMappings.length,
    },
  };
}
