import type { Migration } from '../migration.ts';

export const rejectedRows: Migration = {
  name: '0021-rejected-rows',
  up: `
-- The head of the table of rejected rows, for the file in which users download them. The uploaded file is deleted after a
-- week.
CREATE TABLE jobs.rejected_tables (
  job_id bigint PRIMARY KEY,
  encoding text NOT NULL,
  delimiter text NOT NULL,
  -- Both in the encoding of the file: the text before the header, and the header. If the columns have no names, the header
  -- has only the delimiters.
  metadata bytea NOT NULL,
  header bytea NOT NULL
);
-- Rejected rows as in the file, with marks before formulas.
CREATE TABLE jobs.rejected_rows (
  job_id bigint NOT NULL,
  line bigint NOT NULL,
  content bytea NOT NULL,
  -- Whether the quotation marks of the row are wrong. It is then written after the other rows, because programs would read
  -- the rows after it as a part of it.
  is_broken boolean NOT NULL,
  PRIMARY KEY (job_id, line)
);`,
};
