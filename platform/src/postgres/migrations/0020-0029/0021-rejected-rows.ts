import type { Migration } from '../migration.ts';

export const rejectedRows: Migration = {
  name: '0021-rejected-rows',
  up: `
-- The table that rejected rows of a job came in, for the file that gives them back: the uploaded file goes after a week.
CREATE TABLE jobs.rejected_tables (
  job_id bigint PRIMARY KEY,
  encoding text NOT NULL,
  delimiter text NOT NULL,
  -- In the file's encoding: what stands before the line that names the columns, and that line; of columns without names
  -- their delimiters alone.
  metadata bytea NOT NULL,
  header bytea NOT NULL
);
-- Rejected rows as their file has them, but for the marks before formulas.
CREATE TABLE jobs.rejected_rows (
  job_id bigint NOT NULL,
  line bigint NOT NULL,
  content bytea NOT NULL,
  -- Its quotation marks are not in order: it stands behind the others, which it would swallow.
  is_broken boolean NOT NULL,
  PRIMARY KEY (job_id, line)
);`,
};
