import { Refusal } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { failureReason, failuresAfter } from './job-lease.ts';

const UNREACHABLE = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('a run of a job', () => {
  it('counts as failed if it ended with an error', () => {
    expect(failuresAfter(new Error('boom'), 2)).toBe(3);
    expect(failuresAfter(new Refusal('TOO_MANY_REQUESTS', 'Too many'), 2)).toBe(3);
  });
  it('does not count as failed if a server was unreachable', () => {
    expect(failuresAfter(UNREACHABLE, 9)).toBe(9);
    expect(failureReason(UNREACHABLE, failuresAfter(UNREACHABLE, 9), 'Try it again later.')).toBeUndefined();
  });
});

describe('a job', () => {
  it('ends after ten failed runs', () => {
    expect(failureReason(new Error('boom'), 9, 'Try it again later.')).toBeUndefined();
    expect(failureReason(new Error('boom'), 10, 'Try it again later.')).toBe(
      'The job failed 10 times because a part of the system failed. Try it again later.',
    );
  });
  it('ends at once if the command was refused as invalid', () => {
    expect(failureReason(new Refusal('INVALID', 'No rows'), 1, '')).toBe('No rows');
  });
});
