/** SQL that finds the name of an audited entity by type and id, and audited entities by name. */
import { FORMER_USER } from '@rdm/contracts';
import type { Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';

/**
 * Returns SQL for the name of an entity, for the last name of a deleted entity with a history, or for null. Rows have
 * the name of their data set, crosswalk or relationship; jobs have their description. Users have their username.
 */
export function entityName(tables: Tables, type: Sql, id: Sql): Sql {
  const nameIn = (table: Sql, column = sql`named.name`) =>
    sql`(SELECT ${column} FROM ${table} named WHERE named.id = ${id})`;
  const lastOf = (
    table:
      | 'reference_data_types'
      | 'reference_data_sets'
      | 'crosswalk_mappings'
      | 'relationships'
      | 'reference_data_collections',
  ) => sql`coalesce(${nameIn(tables.currentWithDeleted(table))},
    (SELECT last.name FROM ${tables.current(`${table}_history`)} last WHERE last.id = ${id} ORDER BY last.valid_to DESC LIMIT 1))`;
  return sql`CASE
    WHEN ${type} = 'referenceType' THEN ${lastOf('reference_data_types')}
    WHEN ${type} IN ('dataSet', 'instances') THEN ${lastOf('reference_data_sets')}
    WHEN ${type} IN ('crosswalk', 'mappings', 'missingMappings') THEN ${lastOf('crosswalk_mappings')}
    WHEN ${type} IN ('relationship', 'relationshipValues') THEN ${lastOf('relationships')}
    WHEN ${type} = 'collection' THEN ${lastOf('reference_data_collections')}
    WHEN ${type} = 'role' THEN ${nameIn(tables.current('roles'))}
    WHEN ${type} = 'group' THEN ${nameIn(tables.current('groups'))}
    WHEN ${type} = 'savedFilter' THEN ${nameIn(tables.current('saved_filters'))}
    WHEN ${type} = 'user' THEN coalesce(${nameIn(sql`identity.users`, sql`named.username`)}, ${FORMER_USER})
    WHEN ${type} = 'apiKey' THEN ${nameIn(sql`identity.api_keys`)}
    WHEN ${type} IN ('importJob', 'bulkDecision') THEN
      (SELECT job.description FROM ${tables.current('import_jobs')} job WHERE job.job_id = ${id}) END`;
}

/**
 * Returns a query for the types and ids, such as `crosswalk:3`, of the entities with a matching current or former name.
 * Roles, groups and API keys match by their current names only. The query omits users, saved filters and jobs.
 */
export function entitiesNamed(tables: Tables, matches: (name: Sql) => Sql): Sql {
  const named = (type: string, tablesOfType: readonly Sql[]) =>
    tablesOfType.map(
      (table) => sql`SELECT ${`${type}:`}::text || id FROM ${table} named WHERE ${matches(sql`named.name`)}`,
    );
  const parts = [
    ...named('referenceType', [tables.current('reference_data_types'), tables.current('reference_data_types_history')]),
    ...named('dataSet', [tables.current('reference_data_sets'), tables.current('reference_data_sets_history')]),
    ...named('crosswalk', [
      tables.currentWithDeleted('crosswalk_mappings'),
      tables.current('crosswalk_mappings_history'),
    ]),
    ...named('relationship', [tables.currentWithDeleted('relationships'), tables.current('relationships_history')]),
    ...named('collection', [
      tables.current('reference_data_collections'),
      tables.current('reference_data_collections_history'),
    ]),
    ...named('role', [tables.current('roles')]),
    ...named('group', [tables.current('groups')]),
    ...named('apiKey', [sql`identity.api_keys`]),
  ];
  return join(parts, ' UNION ');
}
