import type { Migration } from '../migration.ts';

export const replayedImports: Migration = {
  name: '0032-replayed-imports',
  up: `
-- The hash of file, target and settings of an import in one request: a repeated request has the same hash.
ALTER TABLE command.imports ADD COLUMN replay_key text;
CREATE INDEX imports_replay_key ON command.imports (replay_key) WHERE replay_key IS NOT NULL;`,
};
