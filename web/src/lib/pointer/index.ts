/** One click, one deed: where the next item moves under the pointer, the second click of a double click means nothing. */
import type { MouseEvent } from 'react';

/** Within so long, and so near, a second click is the end of the first; anywhere else it is meant. */
const CALM_MS = 600;
const NEAR_PX = 8;

let last = { what: '', at: Number.NEGATIVE_INFINITY, x: 0, y: 0 };

/** Acts on a click unless it does the same thing again at the same place; keys that press a button always act. */
export const once =
  (what: string, act: () => void) =>
  (event: Pick<MouseEvent, 'detail' | 'clientX' | 'clientY' | 'timeStamp'>): void => {
    if (event.detail > 1 && what === last.what) return;
    const { clientX: x, clientY: y, timeStamp: at } = event;
    const isRepeated = what === last.what && at - last.at < CALM_MS && Math.hypot(x - last.x, y - last.y) < NEAR_PX;
    const byPointer = event.detail > 0;
    if (byPointer) last = { what, at, x, y };
    if (!byPointer || !isRepeated) act();
  };
