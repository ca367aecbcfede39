import type { Migration } from '../migration.ts';

export const skippedRows: Migration = {
  name: '0031-skipped-rows',
  up: `
-- Of a piece, the rows that the undo of an import keeps: they were edited since, or are in use.
ALTER TABLE command.bulk_pieces ADD COLUMN skipped integer NOT NULL DEFAULT 0;`,
};
