import { describe, expect, it, vi } from 'vitest';
import { once } from './index.ts';

const click = (timeStamp: number, clientX = 100, clientY = 100, detail = 1) => ({
  timeStamp,
  clientX,
  clientY,
  detail,
});

describe('one click, one deed', () => {
  it('ignores the second click of a double click, however it is told', () => {
    const act = vi.fn();
    once('approve', act)(click(1_000));
    once('approve', act)(click(1_150, 100, 100, 2));
    once('approve', act)(click(1_200, 103, 98));
    expect(act).toHaveBeenCalledTimes(1);
  });
  it('takes a click elsewhere at once, and one at the same place when it is meant', () => {
    const act = vi.fn();
    once('approve', act)(click(10_000));
    once('approve', act)(click(10_200, 100, 140));
    once('approve', act)(click(11_000, 100, 140));
    expect(act).toHaveBeenCalledTimes(3);
  });
  it('takes another deed at the same place at once: an edit and then its save', () => {
    const act = vi.fn();
    once('edit', act)(click(30_000));
    once('save', act)(click(30_200));
    expect(act).toHaveBeenCalledTimes(2);
  });
  it('takes every press by key', () => {
    const act = vi.fn();
    once('approve', act)(click(20_000, 0, 0, 0));
    once('approve', act)(click(20_050, 0, 0, 0));
    expect(act).toHaveBeenCalledTimes(2);
  });
});
