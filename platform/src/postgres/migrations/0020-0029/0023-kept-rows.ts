import type { Migration } from '../migration.ts';

export const keptRows: Migration = {
  name: '0023-kept-rows',
  up: `
-- What the command side keeps of long streams, so that decisions need not read them: all of it can be dropped.
CREATE SCHEMA cache;
CREATE TABLE cache.streams (
  stream_id bigserial PRIMARY KEY,
  stream text NOT NULL UNIQUE,
  -- Of the last event that the rows hold, and when that happened.
  revision integer NOT NULL,
  last_at text NOT NULL,
  -- What the state holds beside its rows.
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
-- What a command decided in steps whose streams are long, until it is answered: a repetition answers the same.
CREATE TABLE command.decided_steps (
  command_id uuid NOT NULL,
  step text NOT NULL,
  decided jsonb NOT NULL,
  PRIMARY KEY (command_id, step)
);`,
};
