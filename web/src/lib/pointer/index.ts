/**
 * Ignores the second click of an accidental double click, because after the first click another item may be under the
 * pointer.
 */
import type { MouseEvent } from 'react';

/** A second click within this time and distance is accidental. */
const REPEAT_MS = 600;
const REPEAT_PX = 8;

let last = { action: '', at: Number.NEGATIVE_INFINITY, x: 0, y: 0 };

/**
 * Returns a click handler that calls `act`, but ignores the second click of a double click on the same action. A key
 * press always calls `act`.
 */
export const ignoreRepeats =
  (action: string, act: () => void) =>
  (event: Pick<MouseEvent, 'detail' | 'clientX' | 'clientY' | 'timeStamp'>): void => {
    if (event.detail > 1 && action === last.action) return;
    const { clientX: x, clientY: y, timeStamp: at } = event;
    const isRepeated =
      action === last.action && at - last.at < REPEAT_MS && Math.hypot(x - last.x, y - last.y) < REPEAT_PX;
    const byPointer = event.detail > 0;
    if (byPointer) last = { action, at, x, y };
    if (!byPointer || !isRepeated) act();
  };
