/** Tests the labels of the counts of jobs. */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { expect, it } from 'vitest';
import { figuresOf } from './figures.ts';

const COUNTS = { total: 10, created: 3, changed: 0, unchanged: 0, failed: 0, skipped: 7 };

it.each([
  ['DONE', null, 'Skipped'],
  ['FAILED', null, 'Not tried'],
  ['CANCELLED', null, 'Not tried'],
  ['DONE', 5, 'Kept'],
  ['FAILED', 5, 'Not undone'],
] as const)('a job with status %s that undoes the import %s calls its skipped rows “%s”', (status, undoes, label) => {
  const metadata = { undoes } as JobView['metadata'];
  const figures = figuresOf({ counts: COUNTS, jobType: 'DATASET_INSTANCES_IMPORT', metadata, status });
  expect(figures.find(({ value }) => value === 7)?.label).toBe(label);
});
