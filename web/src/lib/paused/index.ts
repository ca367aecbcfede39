/** A value once it has stood still: searches and previews follow typing without running after every key. */
import { useEffect, useState } from 'react';

const PAUSE_MS = 250;

export function usePaused<Value>(value: Value): Value {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
