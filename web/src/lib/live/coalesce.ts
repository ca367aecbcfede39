/** Batches live changes, so that many changes cause few refetches. */

export const WINDOW_MS = 300;

export interface Coalescer<Item> {
  add: (item: Item) => void;
  stop: () => void;
}

/**
 * Flushes the first item immediately and the following items at the end of each time window. With the default window,
 * 1,000 items within a second cause five flushes.
 */
export function coalesce<Item>(flush: (items: Item[]) => void, windowMs = WINDOW_MS): Coalescer<Item> {
  let pendingItems: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function openWindow() {
    timer = setTimeout(() => {
      timer = undefined;
      if (pendingItems.length === 0) return;
      const items = pendingItems;
      pendingItems = [];
      openWindow();
      flush(items);
    }, windowMs);
  }

  return {
    add(item) {
      if (timer !== undefined) {
        pendingItems.push(item);
        return;
      }
      openWindow();
      flush([item]);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      pendingItems = [];
    },
  };
}

export const PAUSE_MS = 400;
const FLUSH_AFTER_MAX_MS = 2_000;

/** Flushes after a pause, at the latest after two seconds. For the user's own changes, which the page already shows. */
export function coalesceUntilPause<Item>(flush: (items: Item[]) => void): Coalescer<Item> {
  let pendingItems: Item[] = [];
  let firstAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(item) {
      const now = Date.now();
      if (pendingItems.length === 0) firstAt = now;
      pendingItems.push(item);
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          const items = pendingItems;
          pendingItems = [];
          flush(items);
        },
        Math.min(PAUSE_MS, firstAt + FLUSH_AFTER_MAX_MS - now),
      );
    },
    stop() {
      clearTimeout(timer);
      pendingItems = [];
    },
  };
}
