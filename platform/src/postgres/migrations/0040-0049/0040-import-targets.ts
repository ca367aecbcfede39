import type { Migration } from '../migration.ts';

export const importTargets: Migration = {
  name: '0040-import-targets',
  up: `
-- The data set of the import; unknown for imports that were started before.
ALTER TABLE command.imports ADD COLUMN data_set_id bigint;
CREATE INDEX imports_data_set ON command.imports (data_set_id, job_id);`,
};
