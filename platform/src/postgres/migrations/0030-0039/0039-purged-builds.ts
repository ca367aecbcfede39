import type { Migration } from '../migration.ts';

export const purgedBuilds: Migration = {
  name: '0039-purged-builds',
  up: `
-- Position of the last purge that was registered when the build began: it holds no event that this purge or an earlier one names.
ALTER TABLE platform.builds ADD COLUMN purged_to text NOT NULL DEFAULT '0';`,
};
