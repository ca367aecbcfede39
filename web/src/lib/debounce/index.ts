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

/** The text of a search field: `typed` at once, `asked` for once it stands still. */
export function useSearchText() {
  const [search, setSearch] = useState('');
  const typed = search.trim();
  const asked = usePaused(typed);
  return {
    search,
    setSearch,
    typed,
    asked,
    /** Whether the result is that of exactly the text typed. */
    isAnswered: (result: { isFetching: boolean }) => asked === typed && !result.isFetching,
  };
}
