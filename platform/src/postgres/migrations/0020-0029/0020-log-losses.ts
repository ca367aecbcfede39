import type { Migration } from '../migration.ts';

export const logLosses: Migration = {
  name: '0020-log-losses',
  up: `
-- Losses of events at the end of the log that an operator accepted. Events after lost_after were missing from the log; the
-- read models had contained those up to lost_up_to. Both are commit positions.
CREATE TABLE platform.log_losses (
  id bigserial PRIMARY KEY,
  lost_after text NOT NULL,
  lost_up_to text NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT now()
);`,
};
