import type { Migration } from '../migration.ts';

export const bulkDecisions: Migration = {
  name: '0012-bulk-decisions',
  up: `
-- Jobs that decide about many rows, with the selected rows. Deleted when the job has ended.
CREATE TABLE command.bulk_decisions (
  job_id bigint PRIMARY KEY,
  command_id uuid NOT NULL UNIQUE,
  selection jsonb NOT NULL,
  -- The number of failed runs in a row.
  failures integer NOT NULL DEFAULT 0,
  -- Who cancelled the job, and in which request: { actorId, apiKeyId, requestId }.
  cancellation jsonb
);
-- The result of each piece. Written when its events are in the log, together with the log lines of its refused rows.
CREATE TABLE command.bulk_pieces (
  job_id bigint NOT NULL REFERENCES command.bulk_decisions ON DELETE CASCADE,
  -- The name of the step in the command: stream#n.
  step text NOT NULL,
  done integer NOT NULL,
  refused integer NOT NULL,
  PRIMARY KEY (job_id, step)
);`,
};
