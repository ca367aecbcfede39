import { describe, expect, it } from 'vitest';
import type { Queryable } from '../postgres/postgres.ts';
import { openLogProblem } from './log-problem.ts';

describe('the problem that prevents the projection of the log', () => {
  it('is the message of the refusal, and is read at most once a second', async () => {
    let problem: string | null = 'The event log is another copy';
    let reads = 0;
    let now = 0;
    const db = {
      query: async () => {
        reads += 1;
        return { rows: [{ problem }] };
      },
    } as unknown as Queryable;
    const logProblem = openLogProblem(db, () => now);
    for (let count = 0; count < 10; count += 1) {
      await expect(logProblem.require()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: problem });
    }
    expect(reads).toBe(1);
    problem = null;
    now = 1_000;
    await logProblem.require();
    expect(reads).toBe(2);
  });

  it('is read again after a failed read', async () => {
    let fails = true;
    const db = {
      query: () => (fails ? Promise.reject(new Error('away')) : Promise.resolve({ rows: [{ problem: null }] })),
    } as unknown as Queryable;
    const logProblem = openLogProblem(db, () => 0);
    await expect(logProblem.current()).rejects.toThrow('away');
    fails = false;
    expect(await logProblem.current()).toBeUndefined();
  });
});
