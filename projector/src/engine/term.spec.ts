/** Retries of the leader's work, and what they log. */
import { describe, expect, it } from 'vitest';
import { retryUntilSuccess, type Term } from './term.ts';

/** Runs work that fails with each of these errors in turn, and returns what was logged. */
async function logOf(...errors: readonly Error[]): Promise<unknown[]> {
  const logged: unknown[] = [];
  const log = { warn: (first: unknown, text?: string) => logged.push(text ?? first) };
  const term = { log, signal: new AbortController().signal } as unknown as Term;
  const left = [...errors];
  await retryUntilSuccess(term, async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
  });
  return logged;
}

const refused = () => Object.assign(new Error('7 PERMISSION_DENIED: Access Denied'), { code: 7 });

describe('work that is retried', () => {
  it('logs each failure of its own', async () => {
    expect(await logOf(new Error('broken'), new Error('broken'))).toEqual([
      'Could not project: trying again',
      'Could not project: trying again',
    ]);
  });

  it('logs a problem of the connection to the event store once, in words', async () => {
    const logged = await logOf(refused(), refused());
    expect(logged).toEqual([expect.stringMatching(/^The event store does not let .* Trying again until it works\.$/)]);
  });
});
