/** Jobs and long commands on one product whose processes are killed; and many editors at once. */
import './killed-jobs/concurrent-edits.ts';
import './killed-jobs/decision-job.ts';
import './killed-jobs/decision-retry.ts';
import './killed-jobs/import.ts';
import './killed-jobs/import-draft.ts';
import './killed-jobs/import-undo.ts';
import './killed-jobs/row-import.ts';
