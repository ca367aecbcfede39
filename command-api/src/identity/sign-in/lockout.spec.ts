/** Specifies how failures change a lock, the subject of a name, and the text of a duration. */
import { describe, expect, it } from 'vitest';
import { afterFailure, formatMinutes, type Lock, nameSubject } from './lockout.ts';

const UNLOCKED: Lock = { failures: 0, lockouts: 0, lockedFor: 0 };

function given(lock: Lock = UNLOCKED) {
  let state: ReturnType<typeof afterFailure> = { ...lock, lockedMinutes: 0 };
  return {
    failing(times: number) {
      for (let time = 0; time < times; time++) state = afterFailure(state);
      return this;
    },
    expire() {
      state = { ...state, lockedFor: 0 };
      return this;
    },
    gives: (expected: Partial<typeof state>) => expect(state).toMatchObject(expected),
  };
}

describe('a lock', () => {
  it('stays open for four failures', () => given().failing(4).gives({ failures: 4, lockedFor: 0, lockouts: 0 }));
  it('locks for 15 minutes at the fifth failure', () =>
    given()
      .failing(5)
      .gives({ failures: 0, lockouts: 1, lockedFor: 15 * 60, lockedMinutes: 15 }));
  it('is not extended while it is active', () =>
    given()
      .failing(50)
      .gives({ lockouts: 1, lockedFor: 15 * 60, lockedMinutes: 0 }));
  it('does not lock again at the fourth failure after it has expired', () =>
    given().failing(5).expire().failing(4).gives({ lockedFor: 0 }));
  it.each([
    [1, 15],
    [2, 30],
    [3, 60],
    [4, 120],
    [5, 240],
    [6, 480],
    [7, 960],
    [8, 1_440],
    [9, 1_440],
    [40, 1_440],
  ])('locks the %ith time for %i minutes', (times, minutes) => {
    const lock = given();
    for (let time = 1; time < times; time++) lock.failing(5).expire();
    lock.failing(5).gives({ lockedMinutes: minutes, lockedFor: minutes * 60 });
  });
});

describe('the subject of a name', () => {
  it('ignores case and surrounding space', () =>
    expect(nameSubject('secret', ' Ada@Example.com ')).toBe(nameSubject('secret', 'ada@example.com')));
  it('does not contain the name, and depends on the secret', () => {
    expect(nameSubject('secret', 'ada')).not.toContain('ada');
    expect(nameSubject('secret', 'ada')).not.toBe(nameSubject('other', 'ada'));
  });
});

describe('minutes', () => {
  it.each([
    [1, '1 minute'],
    [60, '1 minute'],
    [61, '2 minutes'],
    [900, '15 minutes'],
  ])('of %i seconds are %s', (seconds, words) => expect(formatMinutes(seconds)).toBe(words));
});
