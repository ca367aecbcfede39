/** Tests the description of the current work of a running job. */
import { expect, it } from 'vitest';
import { currentWorkOf } from './activity.ts';

type Job = Parameters<typeof currentWorkOf>[0];
const metadata = {
  ...{ mode: 'insert' as const, columns: null, fileId: null, allOrNothing: false },
  ...{ commandId: null, undoes: null, questions: null },
};
const job: Job = {
  status: 'IN_PROGRESS',
  jobType: 'DATASET_INSTANCES_IMPORT',
  workflowPhase: 'VALIDATION',
  phaseRows: { processed: 412_000, total: 1_000_000 },
  publishing: null,
  metadata,
};

it('the description names the phase, the processed rows and their total', () => {
  expect(currentWorkOf(job)).toBe('Checking rows: 412,000 of 1,000,000');
  expect(currentWorkOf({ ...job, workflowPhase: 'IMPORT' })).toBe('Importing rows: 412,000 of 1,000,000');
  expect(currentWorkOf({ ...job, workflowPhase: 'IMPORT', jobType: 'CROSSWALK_MAPPINGS_IMPORT' })).toMatch(
    /^Importing mappings: /,
  );
  expect(currentWorkOf({ ...job, workflowPhase: 'IMPORT', metadata: { ...metadata, undoes: 7 } })).toMatch(
    /^Undoing rows: /,
  );
});

it('the description names the published rows and their total while rows are being published', () => {
  expect(currentWorkOf({ ...job, publishing: { rows: 150, of: 200 } })).toBe('Publishing rows: 150 of 200');
});

it('the description omits a total that is not known yet', () => {
  expect(currentWorkOf({ ...job, phaseRows: { processed: 0, total: 0 } })).toBe('Checking rows …');
  expect(currentWorkOf({ ...job, phaseRows: { processed: 7, total: 0 } })).toBe('Checking rows: 7');
});

it('the description is null for a job that waits or has ended', () => {
  expect(currentWorkOf({ ...job, status: 'PENDING' })).toBeNull();
  expect(currentWorkOf({ ...job, status: 'DONE' })).toBeNull();
});
