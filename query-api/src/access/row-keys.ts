/** Displays canonical keys of rows. */
import { type Sql, sql } from '../read-models/sql.ts';

/** Returns SQL that formats a canonical key like `displayKey` in contracts/src/text/rows.ts. */
export const displayedKey = (key: Sql): Sql =>
  sql`array_to_string(ARRAY(SELECT jsonb_array_elements_text(${key}::jsonb)), ' · ', '')`;
