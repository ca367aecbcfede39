import type { Migration } from '../migration.ts';

export const logMatch: Migration = {
  name: '0025-log-match',
  up: `
-- Id, stream and revision of the event with this seq, to recognise another copy of the log. problem is the reason why nothing
-- is projected until an operator decides.
ALTER TABLE platform.reader ADD COLUMN last_event jsonb, ADD COLUMN problem text;`,
};
