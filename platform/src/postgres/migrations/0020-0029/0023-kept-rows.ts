import type { Migration } from '../migration.ts';

export const keptRows: Migration = {
  name: '0023-kept-rows',
  up: `
-- A cache of the state of long streams, so that decisions need not read the streams. All of it can be deleted.
CREATE SCHEMA cache;
CREATE TABLE cache.streams (
  stream_id bigserial PRIMARY KEY,
  stream text NOT NULL UNIQUE,
  -- The revision and the time of the last event that the rows include.
  revision integer NOT NULL,
  last_at text NOT NULL,
  -- The state without its rows.
  head json NOT NULL,
  used_on date NOT NULL DEFAULT current_date
);
CREATE TABLE cache.rows (
  stream_id bigint NOT NULL,
  id bigint NOT NULL,
  key_hash bigint NOT NULL,
  row json NOT NULL,
  PRIMARY KEY (stream_id, id)
);
CREATE INDEX rows_by_key ON cache.rows (stream_id, key_hash);
-- Decisions of the steps of a command about long streams, until the command is answered: a repetition gets the same answer.
CREATE TABLE command.decided_steps (
  command_id uuid NOT NULL,
  step text NOT NULL,
  decided jsonb NOT NULL,
  PRIMARY KEY (command_id, step)
);`,
};
