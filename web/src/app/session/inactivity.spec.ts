/** Tests when an inactive session shows a warning and ends (specification §4). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lastActivity, markActivity } from '../../lib/auth/activity.ts';
import { countdown, inactivityState, watchActivity } from './inactivity.ts';

const MINUTE = 60_000;

describe('an inactive session', () => {
  it.each([
    [0, { kind: 'active' }],
    [115 * MINUTE - 1, { kind: 'active' }],
    [115 * MINUTE, { kind: 'warning', secondsLeft: 300 }],
    [119 * MINUTE, { kind: 'warning', secondsLeft: 60 }],
    [120 * MINUTE - 1, { kind: 'warning', secondsLeft: 1 }],
    [120 * MINUTE, { kind: 'expired' }],
  ])('after %i ms is %j', (idle, expected) => expect(inactivityState(1_000, 1_000 + idle)).toEqual(expected));

  it('counts down in minutes and seconds', () => {
    expect(countdown(300)).toBe('5:00');
    expect(countdown(61)).toBe('1:01');
    expect(countdown(9)).toBe('0:09');
  });
});

describe('user activity', () => {
  beforeEach(() => {
    localStorage.clear();
    vi.useFakeTimers({ now: 10 * MINUTE });
  });
  afterEach(() => vi.useRealTimers());

  it('is sampled once a second, and sends a heartbeat at most once a minute', () => {
    markActivity(0);
    let beats = 0;
    const stop = watchActivity({ extendsSession: () => true, onHeartbeat: () => beats++ });
    const move = () => document.dispatchEvent(new Event('mousemove'));
    move();
    expect([lastActivity(), beats]).toEqual([10 * MINUTE, 1]);
    vi.advanceTimersByTime(999);
    move();
    expect(lastActivity()).toBe(10 * MINUTE);
    vi.advanceTimersByTime(1);
    move();
    expect([lastActivity(), beats]).toEqual([10 * MINUTE + 1_000, 1]);
    vi.advanceTimersByTime(MINUTE);
    move();
    expect(beats).toBe(2);
    stop();
    vi.advanceTimersByTime(MINUTE);
    move();
    expect(beats).toBe(2);
  });

  it('does not count while the warning is open', () => {
    markActivity(0);
    const stop = watchActivity({ extendsSession: () => false, onHeartbeat: () => undefined });
    document.dispatchEvent(new Event('keydown'));
    expect(lastActivity()).toBe(0);
    stop();
  });
});
