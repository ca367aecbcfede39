/** Kills processes during jobs, and lets many users edit at the same time. All checks share one running product. */
import { useStack } from '../killed-jobs/stack.ts';
import './killed-jobs/concurrent-edits.ts';
import './killed-jobs/decision-job.ts';
import './killed-jobs/import.ts';
import './killed-jobs/import-draft.ts';
import './killed-jobs/import-undo.ts';
import './killed-jobs/value-import.ts';

useStack();
