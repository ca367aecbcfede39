/** Sends one message for several changes of the same key. */

/** Returns functions that collect changed keys: each key is sent once after a delay, however often it changes meanwhile. */
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
