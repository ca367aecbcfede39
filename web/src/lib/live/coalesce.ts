/** Lets the first change through at once and gathers what follows in windows, so that a burst costs few refetches. */

export const WINDOW_MS = 300;

export interface Coalescer<Item> {
  add: (item: Item) => void;
  stop: () => void;
}

/** 1,000 items within a second are flushed at 0, 300, 600, 900 and 1,200 ms: five times. */
export function coalesce<Item>(flush: (items: Item[]) => void, windowMs = WINDOW_MS): Coalescer<Item> {
  let waiting: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function openWindow() {
    timer = setTimeout(() => {
      timer = undefined;
      if (waiting.length === 0) return;
      const items = waiting;
      waiting = [];
      openWindow();
      flush(items);
    }, windowMs);
  }

  return {
    add(item) {
      if (timer !== undefined) {
        waiting.push(item);
        return;
      }
      openWindow();
      flush([item]);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      waiting = [];
    },
  };
}
