import type { Migration } from '../migration.ts';

export const logsByName: Migration = {
  name: '0018-logs-by-name',
  up: `
-- The key of the row that a log line is about, and the action that failed.
ALTER TABLE jobs.logs ADD COLUMN record_key text, ADD COLUMN tried text;
-- The action of a job on its rows, in a word. An undo has a batch instead of a selection: { commandId, actorId, streams }.
ALTER TABLE command.bulk_decisions ADD COLUMN tried text, ADD COLUMN batch jsonb, ALTER COLUMN selection DROP NOT NULL;`,
};
