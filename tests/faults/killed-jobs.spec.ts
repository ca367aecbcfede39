/** Kills processes of one product during jobs and long commands, and lets many users edit at the same time. */
import './killed-jobs/concurrent-edits.ts';
import './killed-jobs/decision-job.ts';
import './killed-jobs/decision-retry.ts';
import './killed-jobs/import.ts';
import './killed-jobs/import-draft.ts';
import './killed-jobs/import-undo.ts';
import './killed-jobs/row-import.ts';
