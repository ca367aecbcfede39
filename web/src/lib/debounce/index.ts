/** Debounces a value, so that searches and previews do not run after every key press. */
import { useEffect, useState } from 'react';

const PAUSE_MS = 250;

export function useDebounced<Value>(value: Value, pauseMs = PAUSE_MS): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return debounced;
}

/** The text of a search field. `typed` is the trimmed text; `debounced` follows `typed` after a pause. */
export function useSearchText() {
  const [search, setSearch] = useState('');
  const typed = search.trim();
  const debounced = useDebounced(typed);
  return {
    search,
    setSearch,
    typed,
    debounced,
    /** Whether the result of the query belongs to the typed text. */
    isAnswered: (result: { isFetching: boolean }) => debounced === typed && !result.isFetching,
  };
}
