/** SQL and functions that make history entries from versions of reviewed entities: event, user, status and changes. */
import type { VersionView } from '@rdm/contracts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** A version as PostgreSQL returns it: absent properties are null, and the changes are computed afterwards. */
export type Version<View extends VersionView> = Omit<View, 'changes' | 'comment' | 'ofDeletion'> & {
  comment: string | null;
  ofDeletion: boolean | null;
};

/** The columns of a versioned table that entries need, in addition to `deleted`. */
export const REVIEW_COLUMNS = sql`valid_from, revision, last_event, approval_status, deletion_requested, updated_at, updated_by, comment,
  batch_id`;

/**
 * Selects the current, past and deleted versions that meet `condition`. In a read of the past, selects no versions
 * after its instant.
 */
export function allVersions(
  tables: Tables,
  table: 'crosswalk_mappings' | 'crosswalk_mapping_values' | 'relationships' | 'relationship_values',
  columns: Sql,
  condition: Sql,
): Sql {
  const until = tables.asOf === undefined ? sql`` : sql` AND valid_from <= ${tables.asOf}::bigint`;
  const versionsIn = (from: Sql) => sql`SELECT ${columns} FROM ${from} WHERE ${condition}${until}`;
  return sql`${versionsIn(tables.current(`${table}_history`))} UNION ALL ${versionsIn(tables.currentWithDeleted(table))}`;
}

/** A deleted row keeps its last status, which does not apply any more. */
const status = sql`CASE WHEN v.deleted THEN 'DELETED' ELSE v.approval_status END`;

/** Columns of versions `v` as entries; use with ENTRY_WINDOW. */
export const ENTRY_COLUMNS = sql`v.valid_from AS seq, v.revision, v.last_event AS type, v.updated_at AS timestamp,
  lag(${status}) OVER versions AS "prevStatus", ${status} AS "newStatus", v.updated_by AS "userId", v.comment,
  lag(v.deletion_requested) OVER versions AS "ofDeletion"`;
/** The member `metadata` of an entry (specification §3). */
export const VERSION_METADATA = sql`json_build_object('seq', v.valid_from, 'revision', v.revision, 'batchId', v.batch_id)`;
export const ENTRY_WINDOW = sql`WINDOW versions AS (ORDER BY v.valid_from) ORDER BY v.valid_from`;

type Changes = NonNullable<VersionView['changes']>;

/** Returns the fields of `after` whose values differ from those in `before`. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Changes {
  const changes: Changes = {};
  for (const [field, to] of Object.entries(after)) {
    const from = before[field] ?? null;
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[field] = { from, to };
  }
  return changes;
}

/** Returns the entry of a version, without absent properties. */
export function entryOf<Read extends { comment: string | null; ofDeletion: boolean | null }>(
  { comment, ofDeletion, ...version }: Read,
  changes: Changes = {},
) {
  return {
    ...version,
    ...(ofDeletion ? { ofDeletion } : {}),
    ...(comment ? { comment } : {}),
    ...(Object.keys(changes).length > 0 ? { changes } : {}),
  };
}
