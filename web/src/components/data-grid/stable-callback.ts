/** A handler that stays the same while what it does follows each render, so that rows need not render with it. */
import { useCallback, useLayoutEffect, useRef } from 'react';

export function useStable<Arguments extends unknown[], Result>(
  handle: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const latest = useRef(handle);
  useLayoutEffect(() => {
    latest.current = handle;
  });
  return useCallback((...given) => latest.current(...given), []);
}
