import type { Migration } from '../migration.ts';

export const replayedImports: Migration = {
  name: '0032-replayed-imports',
  up: `
-- Of an import that starts by itself: the hash of its file, target and settings, by which its repetition is recognised.
ALTER TABLE command.imports ADD COLUMN replay_key text;
CREATE INDEX imports_replay_key ON command.imports (replay_key) WHERE replay_key IS NOT NULL;`,
};
