import type { Migration } from '../migration.ts';

export const homeMarks: Migration = {
  name: '0029-home-marks',
  up: `
-- What the start page knows of a person: their visits, whether they dismissed the guided start, and their first translation.
-- Nothing that happened to the data, so no event.
CREATE TABLE identity.home_marks (
  user_id bigint PRIMARY KEY REFERENCES identity.users ON DELETE CASCADE,
  visited_at timestamptz,
  previous_visit_at timestamptz,
  guide_dismissed boolean NOT NULL DEFAULT false,
  translated_at timestamptz
);`,
};
