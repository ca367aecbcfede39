/** Tests the scroll position of a long list. */
import { act, fireEvent, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useLongWindow } from './long-window.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a long list keeps the scroll position of the user while the scroll event is pending', () => {
  const viewport = { current: document.createElement('div') };
  const onRest = vi.fn();
  renderHook(() =>
    useLongWindow({
      ...{ viewport, body: { current: null }, enabled: true, count: 20_000, rowHeight: 32, headHeight: 32 },
      ...{ onShow: () => undefined, onRest },
    }),
  );
  viewport.current.scrollTop = 3_200;
  act(() => void fireEvent.scroll(viewport.current));
  viewport.current.scrollTop = 160_000;
  act(() => void vi.advanceTimersByTime(1_000));
  expect(viewport.current.scrollTop).toBe(160_000);
  expect(onRest).not.toHaveBeenCalled();

  act(() => void fireEvent.scroll(viewport.current));
  act(() => void vi.advanceTimersByTime(1_000));
  expect(viewport.current.scrollTop).toBe(160_000);
  expect(onRest).toHaveBeenLastCalledWith(5_000, false);
});
