/**
 * The columns that stay visible while the others scroll sideways. Sticky cells slow down every frame, because the
 * browser creates about a hundred layers per screen for them. The table of a long list is therefore moved sideways as
 * one element, and a style of each pinned cell moves the cell back. An inherited custom property does not replace these
 * styles, because it would restyle every cell at every step.
 */
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';

interface PinnedClasses {
  /** The column with the checkboxes. */
  lead: string;
  key: string;
  keyBesideCheckbox: string;
  actions: string;
}

/**
 * The key column is pinned only on screens that are wide enough for other columns; on these screens `--pinned` is set.
 */
const STICKY: PinnedClasses = {
  lead: 'md:sticky md:left-0 md:z-[1]',
  key: 'md:sticky md:left-0 md:z-[1] md:[--pinned:1]',
  keyBesideCheckbox: 'md:sticky md:left-9 md:z-[1] md:[--pinned:1]',
  actions: 'sticky right-0',
};
// Pinned cells are above others only while the list is scrolled sideways, because each overlapping cell costs rendering
// time in every frame.
const movedCell = 'pin-left md:in-data-sideways:relative md:in-data-sideways:z-[1]';
const MOVED: PinnedClasses = {
  lead: movedCell,
  key: `${movedCell} md:[--pinned:1]`,
  keyBesideCheckbox: `${movedCell} md:[--pinned:1]`,
  actions: 'pin-right',
};

/** Whether the key column is pinned. */
export function isKeyPinned(list: HTMLElement): boolean {
  const key = list.querySelector('th[data-column]');
  return key !== null && getComputedStyle(key).getPropertyValue('--pinned').trim() === '1';
}

/** The border that marks columns hidden behind the actions (`side-scroll.tsx` detects them). */
export const hiddenBehindClasses = 'group-data-more/side:border-l group-data-more/side:border-l-hairline';

/** Returns the classes of pinned cells, which differ between long lists and other lists. */
export const pinnedClasses = (isLong: boolean): PinnedClasses => (isLong ? MOVED : STICKY);

/**
 * Moves the table in its frame when the user scrolls sideways. Returns a function that positions the pinned cells; it
 * must be called after rows have changed.
 */
export function useHorizontalScroll(
  viewport: RefObject<HTMLElement | null>,
  frame: RefObject<HTMLElement | null>,
  enabled: boolean,
): () => void {
  const offsets = useRef<{ left: string; right: string }>(undefined);
  const pin = useCallback(() => {
    if (offsets.current === undefined || frame.current === null) return;
    for (const side of ['left', 'right'] as const)
      for (const cell of frame.current.querySelectorAll<HTMLElement>(`.pin-${side}`))
        if (cell.style.transform !== offsets.current[side]) cell.style.transform = offsets.current[side];
  }, [frame]);

  useLayoutEffect(() => {
    const element = viewport.current;
    const table = frame.current?.querySelector('table');
    if (!enabled || element === null || frame.current === null || table === null || table === undefined) return;
    let maxScrollLeft = 0;
    let isPinned = false;
    let scrollLeft: number | undefined;
    const moveCells = () => {
      if (element.scrollLeft === scrollLeft) return;
      scrollLeft = element.scrollLeft;
      table.style.transform = moveBy(-scrollLeft);
      table.toggleAttribute('data-sideways', scrollLeft > 0);
      // Cells that were never moved need no reset.
      if (offsets.current === undefined && scrollLeft === 0 && maxScrollLeft === 0) return;
      offsets.current = { left: moveBy(isPinned ? scrollLeft : 0), right: moveBy(scrollLeft - maxScrollLeft) };
      pin();
    };
    const measure = () => {
      if (frame.current !== null) frame.current.style.width = `${element.clientWidth}px`;
      maxScrollLeft = Math.max(0, element.scrollWidth - element.clientWidth);
      isPinned = isKeyPinned(element);
      scrollLeft = undefined;
      moveCells();
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    // Observes the container of the frame, not the table, because the table's height changes with every new row.
    if (frame.current.parentElement !== null) sizes.observe(frame.current.parentElement);
    // Runs before other scroll listeners change the page, so that reading the scroll position causes no extra layout.
    element.addEventListener('scroll', moveCells, { passive: true, capture: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', moveCells, { capture: true });
    };
  }, [viewport, frame, enabled, pin]);
  return pin;
}

const moveBy = (pixels: number): string => (pixels === 0 ? '' : `translateX(${pixels}px)`);
