import type { Migration } from '../migration.ts';

export const importsOfRows: Migration = {
  name: '0019-imports-of-rows',
  up: `
-- A job that imports rows reads them from a staged file, and has no selection.
ALTER TABLE command.bulk_decisions ADD COLUMN file_id uuid,
  -- Results of look-ups of the first run that determine the pieces: later runs use them, and have the same pieces.
  ADD COLUMN found jsonb;
CREATE INDEX bulk_decisions_file ON command.bulk_decisions (file_id) WHERE file_id IS NOT NULL;
-- The numbers of rows of a piece that an import created and left as they were. The other rows in "done" were changed.
ALTER TABLE command.bulk_pieces ADD COLUMN created integer NOT NULL DEFAULT 0,
  ADD COLUMN unchanged integer NOT NULL DEFAULT 0;`,
};
