import type { Migration } from '../migration.ts';

export const stagedRowsWithIds: Migration = {
  name: '0041-staged-rows-with-ids',
  up: `
-- The rows of a piece in UTF-8, as its events contain them: JSON arrays of the id and the cells, one per line. An empty line
-- separates the rows of two events. The number of buckets is 64.
ALTER TABLE command.staged_rows ADD COLUMN rows bytea;
ALTER TABLE command.staged_rows ALTER COLUMN rows SET STORAGE EXTERNAL;
UPDATE command.staged_rows s SET rows = (
  SELECT convert_to(string_agg('[' || s.sequences[n] * 64 + s.bucket || ',' || substr(c.value::text, 2),
           CASE WHEN n % 1000 = 1 THEN E',\\n\\n' ELSE E',\\n' END ORDER BY n), 'UTF8')
    FROM json_array_elements(s.cells::json) WITH ORDINALITY AS c(value, n));
ALTER TABLE command.staged_rows ALTER COLUMN rows SET NOT NULL, DROP COLUMN cells, DROP COLUMN sequences;`,
};
