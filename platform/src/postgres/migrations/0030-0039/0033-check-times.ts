import type { Migration } from '../migration.ts';

export const checkTimes: Migration = {
  name: '0033-check-times',
  up: `
-- When the last dry run of a draft was requested, and when it ended: it is a job of the draft's owner.
ALTER TABLE command.import_drafts ADD COLUMN check_requested_at timestamptz, ADD COLUMN check_ended_at timestamptz;
UPDATE command.import_drafts SET check_requested_at = changed_at,
  check_ended_at = CASE WHEN check_status IN ('DONE', 'FAILED') THEN changed_at END
 WHERE check_job_id IS NOT NULL;
CREATE INDEX import_drafts_check ON command.import_drafts (check_job_id) WHERE check_job_id IS NOT NULL;
`,
};
