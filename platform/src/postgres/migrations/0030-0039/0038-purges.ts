import type { Migration } from '../migration.ts';

export const purges: Migration = {
  name: '0038-purges',
  up: `
CREATE SEQUENCE command.legal_hold_ids;
-- Plans that dry runs of purges made. A plan contains names, so it is deleted when its purge has ended; the row stays.
CREATE TABLE command.purge_plans (
  purge_id bigint PRIMARY KEY,
  kind text NOT NULL,
  -- { collectionId }.
  scope jsonb NOT NULL,
  before timestamptz NOT NULL,
  planned_by bigint NOT NULL,
  plan jsonb,
  plan_hash text,
  -- The counts of the plan, as in the event of the request.
  counts jsonb,
  -- The reason why no plan could be made.
  problem text,
  planned_at timestamptz,
  -- The current step, and the size in bytes of database and log before the purge.
  step text,
  bytes_before bigint,
  closed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);`,
};
