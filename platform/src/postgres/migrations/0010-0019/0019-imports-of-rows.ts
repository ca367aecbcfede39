import type { Migration } from '../migration.ts';

export const importsOfRows: Migration = {
  name: '0019-imports-of-rows',
  up: `
-- Rows that a job imports come from a staged file, rather than from a selection.
ALTER TABLE command.bulk_decisions ADD COLUMN file_id uuid,
  -- What the first run looked up, where the pieces depend on it: later runs have the same pieces.
  ADD COLUMN found jsonb;
CREATE INDEX bulk_decisions_file ON command.bulk_decisions (file_id) WHERE file_id IS NOT NULL;
-- Of what is done in a piece, the rows that are changed; an import makes others, and leaves some as they are.
ALTER TABLE command.bulk_pieces ADD COLUMN created integer NOT NULL DEFAULT 0,
  ADD COLUMN unchanged integer NOT NULL DEFAULT 0;`,
};
