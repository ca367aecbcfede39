import type { Migration } from '../migration.ts';

export const selectionCriteria: Migration = {
  name: '0028-selection-criteria',
  up: `
-- How the rows of a selection were found: { kind, parentId, tab, filter, q, commandIds }. Filters can contain names of users,
-- so they are not in events: the audit log reads them here until they are deleted.
ALTER TABLE platform.selections ADD COLUMN criteria jsonb;
CREATE TABLE command.selection_criteria (
  command_id text PRIMARY KEY,
  criteria jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX selection_criteria_at ON command.selection_criteria (at);`,
};
