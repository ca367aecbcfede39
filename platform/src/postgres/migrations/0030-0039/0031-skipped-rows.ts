import type { Migration } from '../migration.ts';

export const skippedRows: Migration = {
  name: '0031-skipped-rows',
  up: `
-- The number of rows of a piece that the undo of an import keeps, because they were edited later or are in use.
ALTER TABLE command.bulk_pieces ADD COLUMN skipped integer NOT NULL DEFAULT 0;`,
};
