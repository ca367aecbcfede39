/**
 * Returns a callback with a stable identity that calls the newest handler, so that a new handler does not re-render the
 * rows.
 */
import { useCallback, useLayoutEffect, useRef } from 'react';

export function useStableCallback<Arguments extends unknown[], Result>(
  handle: (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  const latest = useRef(handle);
  useLayoutEffect(() => {
    latest.current = handle;
  });
  return useCallback((...args) => latest.current(...args), []);
}
