import type { Migration } from '../migration.ts';

export const logMatch: Migration = {
  name: '0025-log-match',
  up: `
-- Id, stream and revision of the event with that seq, by which another copy of the log is recognised; and why nothing is
-- projected until an operator has decided.
ALTER TABLE platform.reader ADD COLUMN last_event jsonb, ADD COLUMN problem text;`,
};
