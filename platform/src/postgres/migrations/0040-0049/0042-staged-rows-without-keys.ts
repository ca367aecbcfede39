import type { Migration } from '../migration.ts';

export const stagedRowsWithoutKeys: Migration = {
  name: '0042-staged-rows-without-keys',
  up: `
-- The key of a row is computed from its cells.
ALTER TABLE command.staged_rows DROP COLUMN keys;`,
};
