/**
 * SQL of the numbers of mappings or relationship values by status. `n` is the row with the counts of a crosswalk or
 * relationship; it is missing before the first mapping or value.
 */
import { sql } from '../read-models/sql.ts';

/** The counts of one parent by status, as columns. */
export const STATUS_COUNTS = sql`coalesce(max(n.draft), 0) AS draft, coalesce(max(n.pending), 0) AS pending,
  coalesce(max(n.approved), 0) AS approved, coalesce(max(n.rejected), 0) AS rejected`;

/** The counts of a parent in a list of parents, as one JSON object. */
export const COUNTS_JSON = sql`json_build_object('draft', coalesce(n.draft, 0), 'pending', coalesce(n.pending, 0),
  'approved', coalesce(n.approved, 0), 'rejected', coalesce(n.rejected, 0), 'served', coalesce(n.served, 0))`;
