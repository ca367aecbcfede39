import type { Migration } from '../migration.ts';

export const homeMarks: Migration = {
  name: '0029-home-marks',
  up: `
-- The visits of a user to the start page, whether the user dismissed the guided start, and the first translation. This is no
-- change of data, so there is no event.
CREATE TABLE identity.home_marks (
  user_id bigint PRIMARY KEY REFERENCES identity.users ON DELETE CASCADE,
  visited_at timestamptz,
  previous_visit_at timestamptz,
  guide_dismissed boolean NOT NULL DEFAULT false,
  translated_at timestamptz
);`,
};
