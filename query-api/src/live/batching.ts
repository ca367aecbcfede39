/** Many notices of the same thing, said once. */

/** Gathers what changed and says each once when a while has passed. */
export function gathered<Key>(afterMs: number, say: (key: Key) => void) {
  const timers = new Map<Key, NodeJS.Timeout>();
  return {
    changed(key: Key) {
      if (timers.has(key)) return;
      timers.set(
        key,
        setTimeout(() => {
          timers.delete(key);
          say(key);
        }, afterMs),
      );
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
