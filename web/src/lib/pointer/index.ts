/** Ignores accidental double clicks: after the first click another item may move under the pointer. */
import type { MouseEvent } from 'react';

/** A second click within this time and distance is accidental. */
const CALM_MS = 600;
const NEAR_PX = 8;

let last = { what: '', at: Number.NEGATIVE_INFINITY, x: 0, y: 0 };

/** Calls `act` on a click unless it repeats the same action at the same place; key presses always act. */
export const ignoreRepeats =
  (what: string, act: () => void) =>
  (event: Pick<MouseEvent, 'detail' | 'clientX' | 'clientY' | 'timeStamp'>): void => {
    if (event.detail > 1 && what === last.what) return;
    const { clientX: x, clientY: y, timeStamp: at } = event;
    const isRepeated = what === last.what && at - last.at < CALM_MS && Math.hypot(x - last.x, y - last.y) < NEAR_PX;
    const byPointer = event.detail > 0;
    if (byPointer) last = { what, at, x, y };
    if (!byPointer || !isRepeated) act();
  };
