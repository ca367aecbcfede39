/** The tables of the read models that queries use, and their names in SQL, current or as of the past. */
import { Refusal, WORDS } from '@rdm/contracts';
import type { Builds } from './builds.ts';
import { identifier, type Sql, sql } from './sql.ts';

/**
 * The projection that owns each table. `versioned`: the function `<table>_as_of(seq)` returns the past of the table.
 * `keepsDeletedRows`: the table keeps the rows of deleted definitions, and only `withDeleted`, `currentWithDeleted` and
 * `at` return these rows.
 */
export const TABLES = {
  reference_data_types: { projection: 'reference_types', versioned: true },
  reference_data_types_history: { projection: 'reference_types', versioned: false },
  reference_data_sets: { projection: 'data_sets', versioned: true },
  reference_data_sets_history: { projection: 'data_sets', versioned: false },
  instances: { projection: 'instances', versioned: true },
  instances_history: { projection: 'instances', versioned: false },
  data_set_counts: { projection: 'instances', versioned: false },
  search_sets: { projection: 'instances', versioned: false },
  search_entries: { projection: 'instances', versioned: false },
  reference_data_collections: { projection: 'collections', versioned: true },
  reference_data_collections_history: { projection: 'collections', versioned: false },
  roles: { projection: 'collections', versioned: false },
  members: { projection: 'collections', versioned: false },
  groups: { projection: 'collections', versioned: false },
  crosswalk_mappings: { projection: 'crosswalks', versioned: true, keepsDeletedRows: true },
  crosswalk_mappings_history: { projection: 'crosswalks', versioned: false },
  crosswalk_mapping_values: { projection: 'crosswalks', versioned: true },
  crosswalk_mapping_values_history: { projection: 'crosswalks', versioned: false },
  mapping_counts: { projection: 'crosswalks', versioned: false },
  dismissed_suggestions: { projection: 'crosswalks', versioned: true },
  approval_items: { projection: 'crosswalks', versioned: false },
  pending_counts: { projection: 'crosswalks', versioned: false },
  missing_mappings: { projection: 'missing_mappings', versioned: false },
  relationships: { projection: 'relationships', versioned: true, keepsDeletedRows: true },
  relationships_history: { projection: 'relationships', versioned: false },
  relationship_values: { projection: 'relationships', versioned: true },
  relationship_values_history: { projection: 'relationships', versioned: false },
  relationship_value_counts: { projection: 'relationships', versioned: false },
  relationship_approval_items: { projection: 'relationships', versioned: false },
  relationship_pending_counts: { projection: 'relationships', versioned: false },
  import_jobs: { projection: 'jobs', versioned: false },
  saved_filters: { projection: 'saved_filters', versioned: false },
  entity_filter_configurations: { projection: 'filter_configurations', versioned: false },
  backups: { projection: 'backups', versioned: false },
  backup_schedules: { projection: 'backups', versioned: false },
  purges: { projection: 'purges', versioned: false },
  legal_holds: { projection: 'purges', versioned: false },
  audit_logs: { projection: 'audit_log', versioned: false },
  audit_activities: { projection: 'audit_activities', versioned: false },
  signing_keys: { projection: 'signing_keys', versioned: false },
  changes: { projection: 'changes', versioned: false },
  notifications: { projection: 'notifications', versioned: false },
  first_acts: { projection: 'notifications', versioned: false },
} as const;
export type Table = keyof typeof TABLES;

export const keepsDeletedRows = (table: Table): boolean => 'keepsDeletedRows' in TABLES[table];

/** Names tables in a query: `tables('instances')` is the serving table, or its rows as of the requested seq. */
export interface Tables {
  /** The table, as of the requested seq if the request has `asOf`. Refuses `asOf` for a table without a past. */
  (table: Table): Sql;
  /** The current table, even if the request has `asOf`. */
  current(table: Table): Sql;
  /** Like `tables(table)`, with the deleted rows that the table keeps. */
  withDeleted(table: Table): Sql;
  /** Like `current(table)`, with the deleted rows that the table keeps. */
  currentWithDeleted(table: Table): Sql;
  /** The rows of a versioned table as of a seq that the query computes, with the deleted rows that the table keeps. */
  at(table: Table, seq: Sql): Sql;
  readonly asOf: number | undefined;
}

/** Returns the tables of the serving builds for a query. `schemas` collects the schemas that the query uses. */
export function openTables(
  builds: Builds,
  asOf: number | undefined,
): { tables: Tables; schemas: ReadonlyMap<string, string> } {
  const schemas = new Map<string, string>();
  const schemaOf = (table: Table): string => {
    const { projection } = TABLES[table];
    const serving = builds.serving(projection);
    if (!builds.isComplete()) throw new Refusal('STARTING', WORDS.starting, undefined, 1);
    if (!serving) throw new Refusal('UNAVAILABLE', 'This part of the system is still starting', undefined, 1);
    schemas.set(projection, serving.schema);
    return serving.schema;
  };
  const currentWithDeleted = (table: Table) => identifier(schemaOf(table), table);
  const at = (table: Table, seq: Sql): Sql => sql`${identifier(schemaOf(table), `${table}_as_of`)}(${seq})`;
  const withDeleted = (table: Table): Sql => {
    if (asOf === undefined) return currentWithDeleted(table);
    if (!TABLES[table].versioned) throw new Refusal('INVALID', WORDS.noPast);
    return at(table, sql`${asOf}::bigint`);
  };
  const withoutDeleted = (table: Table, rows: Sql): Sql =>
    keepsDeletedRows(table) ? sql`(SELECT * FROM ${rows} WHERE NOT deleted)` : rows;
  const tables: Tables = Object.assign((table: Table): Sql => withoutDeleted(table, withDeleted(table)), {
    current: (table: Table): Sql => withoutDeleted(table, currentWithDeleted(table)),
    withDeleted,
    currentWithDeleted,
    at,
    asOf,
  });
  return { tables, schemas };
}
