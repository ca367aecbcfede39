import type { Migration } from '../migration.ts';

export const jobs: Migration = {
  name: '0003-jobs',
  up: `
CREATE SCHEMA jobs;
-- The progress of jobs. It is telemetry: the events of a job are in its stream.
CREATE TABLE jobs.progress (
  job_id bigint PRIMARY KEY,
  parent_job_id bigint,
  phase text NOT NULL,
  status text NOT NULL,
  -- Numbers of rows. The total is an estimate until the whole file is read.
  processed bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  counts jsonb NOT NULL,
  rate double precision,
  leased_until timestamptz,
  leased_by text,
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE jobs.logs (
  id bigserial PRIMARY KEY,
  job_id bigint NOT NULL,
  timestamp timestamptz NOT NULL DEFAULT now(),
  level text NOT NULL,
  message text NOT NULL,
  record_index bigint,
  record_data jsonb,
  status text,
  error_type text,
  error_message text,
  -- The problems of a rejected row: [{ column, value, rule, fix }].
  error_details jsonb
);
CREATE INDEX logs_job ON jobs.logs (job_id, id);
CREATE UNIQUE INDEX logs_row ON jobs.logs (job_id, record_index, error_type) WHERE record_index IS NOT NULL;`,
};
