/** Tests how a job labels its skipped rows. */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { expect, it } from 'vitest';
import { figuresOf } from './figures.ts';

const COUNTS = { total: 10, created: 3, changed: 0, unchanged: 0, failed: 0, skipped: 7 };

it.each([
  ['a completed import', 'Skipped', 'DONE', null],
  ['a failed import', 'Not tried', 'FAILED', null],
  ['a cancelled import', 'Not tried', 'CANCELLED', null],
  ['a completed undo of an import', 'Kept', 'DONE', 5],
  ['a failed undo of an import', 'Not undone', 'FAILED', 5],
] as const)('%s labels its skipped rows “%s”', (_, label, status, undoes) => {
  const metadata = { undoes } as JobView['metadata'];
  const figures = figuresOf({ counts: COUNTS, jobType: 'DATASET_INSTANCES_IMPORT', metadata, status });
  expect(figures.find(({ value }) => value === 7)?.label).toBe(label);
});
