/** Debounces a value: searches and previews do not run after every key press. */
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

/** The text of a search field: `typed` immediately, `asked` after a pause. */
export function useSearchText() {
  const [search, setSearch] = useState('');
  const typed = search.trim();
  const asked = usePaused(typed);
  return {
    search,
    setSearch,
    typed,
    asked,
    /** Whether the result belongs to exactly the typed text. */
    isAnswered: (result: { isFetching: boolean }) => asked === typed && !result.isFetching,
  };
}
