import type { Migration } from '../migration.ts';

export const jobsOutOfMemory: Migration = {
  name: '0022-jobs-out-of-memory',
  up: `
-- How often a job ran out of memory at the same place, and this place.
ALTER TABLE command.imports ADD COLUMN memory_failures integer NOT NULL DEFAULT 0, ADD COLUMN memory_place text;
ALTER TABLE command.bulk_decisions ADD COLUMN memory_failures integer NOT NULL DEFAULT 0, ADD COLUMN memory_place text;`,
};
