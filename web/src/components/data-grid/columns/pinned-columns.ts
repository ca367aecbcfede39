/**
 * The columns that stay in sight while the others are scrolled sideways. Sticky cells are layers of their own to the browser,
 * a hundred on a screen, and every frame pays for each. A whole list, whose rows are placed by arithmetic anyway, is therefore
 * moved sideways as one, and each cell that stays is moved back: by a style of its own, for by one that the table hands down
 * every cell would be styled anew with every step.
 */
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';

interface PinnedClasses {
  lead: string;
  key: string;
  keyBesideCheckbox: string;
  actions: string;
}

/** The key column stays only where there is room for it and others; `--pinned` says so to who must know. */
const STICKY: PinnedClasses = {
  lead: 'md:sticky md:left-0 md:z-[1]',
  key: 'md:sticky md:left-0 md:z-[1] md:[--pinned:1]',
  keyBesideCheckbox: 'md:sticky md:left-9 md:z-[1] md:[--pinned:1]',
  actions: 'sticky right-0',
};
// Only while it is moved: each cell that lies above others takes the browser time with every frame.
const moved = 'pin-left md:in-data-sideways:relative md:in-data-sideways:z-[1]';
const MOVED: PinnedClasses = {
  lead: moved,
  key: `${moved} md:[--pinned:1]`,
  keyBesideCheckbox: `${moved} md:[--pinned:1]`,
  actions: 'pin-right',
};

/** Does the key column stay in sight? */
export function keyStays(list: HTMLElement): boolean {
  const key = list.querySelector('th[data-column]');
  return key !== null && getComputedStyle(key).getPropertyValue('--pinned').trim() === '1';
}

/** A line where columns go on behind the actions (`side-scroll.tsx` knows). */
export const hiddenBehindClasses = 'group-data-more/side:border-l group-data-more/side:border-l-hairline';

/** `whole`: of a whole list. */
export const pinnedClasses = (whole: boolean): PinnedClasses => (whole ? MOVED : STICKY);

/** Moves the table in its frame as the scroller goes sideways; answers what is to be called when there are other rows. */
export function useSideways(
  viewport: RefObject<HTMLElement | null>,
  frame: RefObject<HTMLElement | null>,
  enabled: boolean,
): () => void {
  const by = useRef<{ left: string; right: string }>(undefined);
  const pin = useCallback(() => {
    if (by.current === undefined || frame.current === null) return;
    for (const side of ['left', 'right'] as const)
      for (const cell of frame.current.querySelectorAll<HTMLElement>(`.pin-${side}`))
        if (cell.style.transform !== by.current[side]) cell.style.transform = by.current[side];
  }, [frame]);

  useLayoutEffect(() => {
    const element = viewport.current;
    const table = frame.current?.querySelector('table');
    if (!enabled || element === null || frame.current === null || table === null || table === undefined) return;
    let over = 0;
    let stays = false;
    let at: number | undefined;
    const place = () => {
      if (element.scrollLeft === at) return;
      at = element.scrollLeft;
      table.style.transform = moveBy(-at);
      table.toggleAttribute('data-sideways', at > 0);
      // Where nothing was ever moved nothing is put back.
      if (by.current === undefined && at === 0 && over === 0) return;
      by.current = { left: moveBy(stays ? at : 0), right: moveBy(at - over) };
      pin();
    };
    const measure = () => {
      if (frame.current !== null) frame.current.style.width = `${element.clientWidth}px`;
      over = Math.max(0, element.scrollWidth - element.clientWidth);
      stays = keyStays(element);
      at = undefined;
      place();
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    // What is scrolled, not the table: its height changes with every row that comes.
    if (frame.current.parentElement !== null) sizes.observe(frame.current.parentElement);
    // Before others change the page, so that it is not laid out for what is asked here.
    element.addEventListener('scroll', place, { passive: true, capture: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', place, { capture: true });
    };
  }, [viewport, frame, enabled, pin]);
  return pin;
}

const moveBy = (pixels: number): string => (pixels === 0 ? '' : `translateX(${pixels}px)`);
