import type { Migration } from '../migration.ts';

export const bulkDecisions: Migration = {
  name: '0012-bulk-decisions',
  up: `
-- Decisions over many rows that a job takes: the rows as they were selected, until it ends.
CREATE TABLE command.bulk_decisions (
  job_id bigint PRIMARY KEY,
  command_id uuid NOT NULL UNIQUE,
  selection jsonb NOT NULL,
  -- Runs that broke off one after the other.
  failures integer NOT NULL DEFAULT 0,
  -- Who asked for it to stop, and in which request: { actorId, apiKeyId, requestId }.
  cancellation jsonb
);
-- What became of each piece: written once its events are in the log, together with the log of its refused rows.
CREATE TABLE command.bulk_pieces (
  job_id bigint NOT NULL REFERENCES command.bulk_decisions ON DELETE CASCADE,
  -- As the command remembers it: stream#n.
  step text NOT NULL,
  done integer NOT NULL,
  refused integer NOT NULL,
  PRIMARY KEY (job_id, step)
);`,
};
