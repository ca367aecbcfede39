import type { Migration } from '../migration.ts';

export const rejectedWorkbookRows: Migration = {
  name: '0034-rejected-workbook-rows',
  up: `
-- Whether the rows were rejected from a workbook: then the header and each row are a JSON array of typed cells, in UTF-8.
ALTER TABLE jobs.rejected_tables ADD COLUMN is_workbook boolean NOT NULL DEFAULT false;
-- How often reading or checking the draft failed, and why the last time. If the process was killed, only the attempt is counted.
ALTER TABLE command.import_drafts ADD COLUMN failures integer NOT NULL DEFAULT 0,
  ADD COLUMN failure text CHECK (failure IN ('MEMORY', 'ERROR'));`,
};
