/** Tests the log messages when the leader repeats failed work. */
import { describe, expect, it } from 'vitest';
import { retryUntilSuccess, type Term } from './term.ts';

/** Runs work that fails with these errors in turn and then succeeds. Returns the logged messages. */
async function loggedAfter(...errors: readonly Error[]): Promise<unknown[]> {
  const logged: unknown[] = [];
  const log = { warn: (first: unknown, text?: string) => logged.push(text ?? first) };
  const term = { log, signal: new AbortController().signal, lockTimeouts: new Map() } as unknown as Term;
  const remainingErrors = [...errors];
  await retryUntilSuccess(term, async () => {
    const error = remainingErrors.shift();
    if (error !== undefined) throw error;
  });
  return logged;
}

const storeRefusal = () => Object.assign(new Error('7 PERMISSION_DENIED: Access Denied'), { code: 7 });

describe('work that is retried', () => {
  it('logs each failure with an unknown cause', async () => {
    expect(await loggedAfter(new Error('broken'), new Error('broken'))).toEqual([
      'Could not project: trying again',
      'Could not project: trying again',
    ]);
  });

  it('logs a known problem of the event store once', async () => {
    const logged = await loggedAfter(storeRefusal(), storeRefusal());
    expect(logged).toEqual([expect.stringMatching(/^The event store does not let .* Trying again until it works\.$/)]);
  });
});
