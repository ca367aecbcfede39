import type { Migration } from '../migration.ts';

export const logsByName: Migration = {
  name: '0018-logs-by-name',
  up: `
-- What people call the row that a line is about, and what was tried with it.
ALTER TABLE jobs.logs ADD COLUMN record_key text, ADD COLUMN tried text;
-- What a job does to its rows, in a word. An undo has no selection but the batch that it takes back:
-- { commandId, actorId, streams }.
ALTER TABLE command.bulk_decisions ADD COLUMN tried text, ADD COLUMN batch jsonb, ALTER COLUMN selection DROP NOT NULL;`,
};
