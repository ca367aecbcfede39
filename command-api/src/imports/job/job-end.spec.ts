/** Tests the last line of an import's log. */
import { expect, it } from 'vitest';
import { summaryOf } from './job-end.ts';

const counts = { total: 10, created: 3, changed: 0, unchanged: 0, failed: 0, skipped: 7 };

it.each([
  ['DONE', 'Imported: 3 created, 7 skipped'],
  ['CANCELLED', 'Cancelled: 3 created, 7 not tried'],
] as const)('summarizes the counts of an import that is %s as “%s”', (status, line) => {
  expect(summaryOf({ status, counts, reason: null })).toBe(line);
});

it('summarizes an import that only removed rows', () => {
  const removing = { ...counts, total: 0, created: 0, skipped: 0, removed: 1_200 };
  expect(summaryOf({ status: 'DONE', counts: removing, reason: null })).toBe('Imported: 1,200 removed');
});
