import type { Migration } from '../migration.ts';

export const completeReadModels: Migration = {
  name: '0035-complete-read-models',
  up: `
-- Whether the read models have reached the end of the log once. Until then they lack events, and are not served.
ALTER TABLE platform.reader ADD COLUMN complete boolean NOT NULL DEFAULT false;
UPDATE platform.reader SET complete = seq > 0;`,
};
