/** Tests that a repeated click does not run an action twice. */
import { describe, expect, it, vi } from 'vitest';
import { ignoreRepeats } from './index.ts';

const click = (timeStamp: number, clientX = 100, clientY = 100, detail = 1) => ({
  timeStamp,
  clientX,
  clientY,
  detail,
});

describe('the protection against repeated clicks', () => {
  it('ignores the second click of a double click, and a click that soon follows nearly at the same place', () => {
    const act = vi.fn();
    ignoreRepeats('approve', act)(click(1_000));
    ignoreRepeats('approve', act)(click(1_150, 100, 100, 2));
    ignoreRepeats('approve', act)(click(1_200, 103, 98));
    expect(act).toHaveBeenCalledTimes(1);
  });
  it('accepts a click at another place immediately, and a click at the same place after a pause', () => {
    const act = vi.fn();
    ignoreRepeats('approve', act)(click(10_000));
    ignoreRepeats('approve', act)(click(10_200, 100, 140));
    ignoreRepeats('approve', act)(click(11_000, 100, 140));
    expect(act).toHaveBeenCalledTimes(3);
  });
  it('immediately accepts another action at the same place, such as Save after Edit', () => {
    const act = vi.fn();
    ignoreRepeats('edit', act)(click(30_000));
    ignoreRepeats('save', act)(click(30_200));
    expect(act).toHaveBeenCalledTimes(2);
  });
  it('accepts every key press', () => {
    const act = vi.fn();
    ignoreRepeats('approve', act)(click(20_000, 0, 0, 0));
    ignoreRepeats('approve', act)(click(20_050, 0, 0, 0));
    expect(act).toHaveBeenCalledTimes(2);
  });
});
