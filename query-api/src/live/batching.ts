/** Sends one message for several changes of the same key. */

/** Sends each changed key once after the delay, even if the key changes again in the meantime. */
export function batchByKey<Key>(afterMs: number, send: (key: Key) => void) {
  const timers = new Map<Key, NodeJS.Timeout>();
  return {
    changed(key: Key) {
      if (timers.has(key)) return;
      timers.set(
        key,
        setTimeout(() => {
          timers.delete(key);
          send(key);
        }, afterMs),
      );
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
