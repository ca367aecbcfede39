import type { Migration } from '../migration.ts';

export const purges: Migration = {
  name: '0038-purges',
  up: `
CREATE SEQUENCE command.legal_hold_ids;
-- What dry runs found. A plan contains names, so it is deleted when its purge has ended; the row stays.
CREATE TABLE command.purge_plans (
  purge_id bigint PRIMARY KEY,
  kind text NOT NULL,
  -- { collectionId }.
  scope jsonb NOT NULL,
  before timestamptz NOT NULL,
  planned_by bigint NOT NULL,
  plan jsonb,
  plan_hash text,
  -- What the event of the request says of the plan.
  counts jsonb,
  -- Why nothing could be planned.
  problem text,
  planned_at timestamptz,
  -- The step that runs, and the bytes of the database and the log before the purge.
  step text,
  bytes_before bigint,
  closed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);`,
};
