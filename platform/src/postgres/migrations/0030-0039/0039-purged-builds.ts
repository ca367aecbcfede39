import type { Migration } from '../migration.ts';

export const purgedBuilds: Migration = {
  name: '0039-purged-builds',
  up: `
-- The position of the last purge that was registered when the build began. The build has no event that was purged until then.
ALTER TABLE platform.builds ADD COLUMN purged_to text NOT NULL DEFAULT '0';`,
};
