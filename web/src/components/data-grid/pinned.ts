/**
 * The columns that stay in sight while the others are scrolled sideways. Sticky cells are layers of their own to the browser,
 * a hundred on a screen, and every frame pays for each. A whole list, whose rows are placed by arithmetic anyway, is therefore
 * moved sideways as one, and what stays is moved back.
 */
import { type RefObject, useLayoutEffect } from 'react';

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
const moved = 'md:relative md:left-(--pin-left) md:z-[1]';
const MOVED: PinnedClasses = {
  lead: moved,
  key: `${moved} md:[--pinned:1]`,
  keyBesideCheckbox: `${moved} md:[--pinned:1]`,
  actions: 'relative left-(--pin-right)',
};

/** A line where columns go on behind the actions (`side-scroll.tsx` knows). */
export const hiddenBehindClasses = 'group-data-more/side:border-l group-data-more/side:border-l-hairline';

/** `whole`: of a whole list. */
export const pinnedClasses = (whole: boolean): PinnedClasses => (whole ? MOVED : STICKY);

/** Moves the table in its frame as the scroller goes sideways; both are what is seen of a whole list. */
export function useSideways(
  viewport: RefObject<HTMLElement | null>,
  frame: RefObject<HTMLElement | null>,
  enabled: boolean,
): void {
  useLayoutEffect(() => {
    const element = viewport.current;
    const table = frame.current?.querySelector('table');
    if (!enabled || element === null || frame.current === null || table === null || table === undefined) return;
    let over = 0;
    let at: number | undefined;
    const place = () => {
      if (element.scrollLeft === at) return;
      at = element.scrollLeft;
      table.style.transform = at === 0 ? '' : `translateX(${-at}px)`;
      table.style.setProperty('--pin-left', `${at}px`);
      table.style.setProperty('--pin-right', `${at - over}px`);
    };
    const measure = () => {
      if (frame.current !== null) frame.current.style.width = `${element.clientWidth}px`;
      over = Math.max(0, element.scrollWidth - element.clientWidth);
      at = undefined;
      place();
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    sizes.observe(table);
    element.addEventListener('scroll', place, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', place);
    };
  }, [viewport, frame, enabled]);
}
