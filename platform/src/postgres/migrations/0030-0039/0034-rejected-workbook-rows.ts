import type { Migration } from '../migration.ts';

export const rejectedWorkbookRows: Migration = {
  name: '0034-rejected-workbook-rows',
  up: `
-- Whether the rows were rejected from a workbook: then the header and each row are a JSON array of typed cells, in UTF-8.
ALTER TABLE jobs.rejected_tables ADD COLUMN is_workbook boolean NOT NULL DEFAULT false;
-- Why the last attempt at reading or checking the draft ended: null if its process ended without a word.
ALTER TABLE command.import_drafts ADD COLUMN failure text CHECK (failure IN ('MEMORY', 'ERROR'));`,
};
