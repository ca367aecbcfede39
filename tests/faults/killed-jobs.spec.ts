/** Kills processes of one product during a long command and during an import job. */
import { useStack } from './killed-jobs/stack.ts';
import './killed-jobs/decision-retry.ts';
import './killed-jobs/row-import.ts';

useStack();
