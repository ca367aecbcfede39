/** Displays canonical keys of rows. */
import { type Sql, sql } from '../read-models/sql.ts';

/** A canonical key as text (rows.ts of contracts, displayKey). */
export const displayedKey = (key: Sql): Sql =>
  sql`array_to_string(ARRAY(SELECT jsonb_array_elements_text(${key}::jsonb)), ' · ', '')`;
