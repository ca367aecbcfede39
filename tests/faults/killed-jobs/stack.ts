/** Starts the product for a test file that kills jobs. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts';
import { afterAll, beforeAll } from 'vitest';
import { startTestStack, type TestStack } from '../../test-stack.ts';

export const LONG = process.env['FAULTS'] === 'long';
export const PASSWORD = 'Killed-jobs-1';
/** Maximum number of rows that a request decides on; a decision on more rows becomes a job. */
export const ANSWERED_ROWS = LONG ? BULK_ANSWER_ROWS : 1_000;

export let stack: TestStack;

/** Starts the product before the first check of the test file, and stops it after the last one. */
export function useStack(): void {
  beforeAll(async () => {
    const env = { BULK_ANSWER_ROWS: String(ANSWERED_ROWS) };
    stack = await startTestStack('killed-jobs', { adminPassword: PASSWORD, env });
  });
  afterAll(() => stack?.stop());
}
