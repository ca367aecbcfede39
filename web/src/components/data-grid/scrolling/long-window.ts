/** Row virtualisation of a long list. Positions are calculated, because no browser can lay out a million rows. */
import {
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { flushSync } from 'react-dom';
import { useStableCallback } from '../stable-callback.ts';
import type { RowWindow } from './row-window.ts';
import { ScaledScroll } from './scaled-scroll.ts';

/** The rendered range moves in steps of this many rows, so that few scroll events cause a render. */
const STEP = 2;
/**
 * A spacer above the rendered rows takes the place of omitted rows, fewer than this number. With the spacer, a rendered
 * row keeps its position in the body while the list scrolls, so that the browser does not redraw the row.
 */
const OMITTED_MAX = 1_024;
/** The height of the list before the first measurement. */
const ASSUMED_HEIGHT = 640;
/** A scroller without movement for this time is at rest. */
const REST_MS = 150;

export interface LongWindowOptions {
  viewport: RefObject<HTMLElement | null>;
  /** The element with the rows, which is moved instead of being scrolled. */
  body: RefObject<HTMLElement | null>;
  enabled: boolean;
  count: number;
  rowHeight: number;
  headHeight: number;
  /** Called with the first and the last visible row when the list moves or its size changes. */
  onShow: (first: number, last: number) => void;
  /**
   * Called with the first visible row when the list has stopped moving. `atEnd` is whether the list is scrolled to its
   * end. It is false if all rows fit.
   */
  onRest: (first: number, atEnd: boolean) => void;
}

export interface LongWindow {
  /** The height of the scrolled content. */
  height: number;
  /** The height of the visible part. */
  clientHeight: number;
  /** Scrolls until the row is visible. */
  scrollTo: (index: number) => void;
  /** Scrolls so that this row is the first visible row. */
  startWith: (index: number) => void;
  rows: LongRows;
}

/** The rows to render. Only the component that renders rows subscribes, so that scrolling renders nothing else. */
export interface LongRows {
  subscribe: (listener: () => void) => () => void;
  range: () => Range;
  /** Reports that these rows are now in the page. */
  onRendered: (range: Range) => void;
}

interface Range {
  first: number;
  last: number;
}

const NO_ROWS: Range = { first: 0, last: -1 };
const noRows = () => NO_ROWS;
const noSubscription = () => () => undefined;

/** `longRows` is undefined for paged lists. */
export function useRenderedRows(
  longRows: LongRows | undefined,
  count: number,
  rowHeight: number,
): Pick<RowWindow, 'indexes' | 'before' | 'after'> {
  const range = useSyncExternalStore(longRows?.subscribe ?? noSubscription, longRows?.range ?? noRows);
  useLayoutEffect(() => longRows?.onRendered(range), [longRows, range]);
  return {
    indexes: indexesBetween(range.first, Math.min(range.last, count - 1)),
    before: (range.first - baseOf(range.first)) * rowHeight,
    after: 0,
  };
}

export function useLongWindow(options: LongWindowOptions): LongWindow {
  const { viewport, body, enabled, count, rowHeight, headHeight } = options;
  const [scroll] = useState(() => new ScaledScroll());
  const [clientHeight, setClientHeight] = useState(0);
  const [subscription] = useState(() => ({ range: NO_ROWS, listeners: new Set<() => void>() }));
  const rendered = useRef(NO_ROWS);
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });

  /** Moves the rows to their position. Callers first render the visible rows, so that no gap is visible. */
  const move = useCallback(() => {
    const element = body.current;
    if (element !== null)
      element.style.transform = `translateY(${baseOf(rendered.current.first) * latest.current.rowHeight - scroll.top}px)`;
  }, [body, scroll]);

  const show = useCallback(
    (atOnce: boolean) => {
      const from = Math.floor(scroll.first / STEP) * STEP;
      // The range always has the same number of rows, so that new rows can reuse the elements of removed rows.
      const visibleRows = Math.ceil(scroll.bodyHeight / latest.current.rowHeight) + 1;
      const next = { first: from, last: from + Math.ceil((visibleRows + STEP - 1) / STEP) * STEP - 1 };
      const { first, last } = rendered.current;
      const hasGap = scroll.first < first || scroll.last > last;
      const draw = () => {
        if (subscription.range.first === next.first && subscription.range.last === next.last) return;
        subscription.range = next;
        for (const listener of subscription.listeners) listener();
      };
      // Renders the rows in the frame in which they become visible, not in the next frame.
      if (atOnce && hasGap) flushSync(draw);
      else draw();
      if (!hasGap) move();
      if (latest.current.count > 0) latest.current.onShow(scroll.first, scroll.last);
    },
    [scroll, subscription, move],
  );

  /** Sets the scroller to the position of the list. */
  const placeScroller = useCallback(() => {
    const element = viewport.current;
    if (element === null || Math.abs(scroll.position - element.scrollTop) < 1) return;
    element.scrollTop = scroll.position;
    scroll.setPosition(element.scrollTop);
  }, [viewport, scroll]);

  /** Whether a wheel or a touch is moving the list. */
  const isMovedByPixels = useRef(false);
  const restTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const scheduleRest = useCallback(() => {
    clearTimeout(restTimer.current);
    body.current?.setAttribute('data-moving', '');
    const handleRest = () => {
      // The event of the user's last scroll is still pending: setting the scroller now would undo that scroll.
      if (viewport.current !== null && scroll.hasMoved(viewport.current.scrollTop)) {
        restTimer.current = setTimeout(handleRest, REST_MS);
        return;
      }
      body.current?.removeAttribute('data-moving');
      isMovedByPixels.current = false;
      placeScroller();
      latest.current.onRest(scroll.first, scroll.atEnd);
    };
    restTimer.current = setTimeout(handleRest, REST_MS);
  }, [viewport, body, placeScroller, scroll]);
  useEffect(() => () => clearTimeout(restTimer.current), []);

  useLayoutEffect(() => {
    const element = viewport.current;
    if (!enabled || element === null) return;
    const measure = () => setClientHeight(element.clientHeight);
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [enabled, viewport]);

  useLayoutEffect(() => {
    if (!enabled) return;
    scroll.resize({ count, rowHeight, headHeight, clientHeight: clientHeight === 0 ? ASSUMED_HEIGHT : clientHeight });
    show(false);
  }, [enabled, scroll, count, rowHeight, headHeight, clientHeight, show]);

  const height = enabled ? heightOf(count, rowHeight, headHeight) : 0;
  // Runs after the content has its height, because before that the scroller could not reach the position.
  useLayoutEffect(() => {
    if (enabled) placeScroller();
  }, [enabled, height, clientHeight, rowHeight, placeScroller]);

  const onRendered = useStableCallback((range: Range) => {
    rendered.current = range;
    if (enabled) move();
  });
  const rows = useMemo<LongRows>(
    () => ({
      subscribe(listener) {
        subscription.listeners.add(listener);
        return () => subscription.listeners.delete(listener);
      },
      range: () => subscription.range,
      onRendered,
    }),
    [subscription, onRendered],
  );

  useLayoutEffect(() => {
    const element = viewport.current;
    if (!enabled || element === null) return;
    const onScroll = () => {
      if (!scroll.handleScroll(element.scrollTop, isMovedByPixels.current)) return;
      if (scroll.mustCorrectNow) placeScroller();
      show(true);
      scheduleRest();
    };
    const onWheel = () => {
      isMovedByPixels.current = true;
    };
    const onPointer = (event: PointerEvent) => {
      isMovedByPixels.current = event.pointerType === 'touch';
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: true });
    element.addEventListener('pointerdown', onPointer, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('pointerdown', onPointer);
    };
  }, [enabled, viewport, scroll, placeScroller, show, scheduleRest]);

  const goTo = useCallback(
    (go: () => void) => {
      const { count, rowHeight, headHeight } = latest.current;
      const measured = viewport.current?.clientHeight ?? 0;
      scroll.resize({ count, rowHeight, headHeight, clientHeight: measured === 0 ? ASSUMED_HEIGHT : measured });
      go();
      placeScroller();
      show(false);
      scheduleRest();
    },
    [viewport, scroll, placeScroller, show, scheduleRest],
  );
  const scrollTo = useCallback((index: number) => goTo(() => scroll.reveal(index)), [goTo, scroll]);
  const startWith = useCallback((index: number) => goTo(() => scroll.startWith(index)), [goTo, scroll]);

  return { height, clientHeight, scrollTo, startWith, rows };
}

function heightOf(count: number, rowHeight: number, headHeight: number): number {
  const scroll = new ScaledScroll();
  scroll.resize({ count, rowHeight, headHeight, clientHeight: 0 });
  return scroll.height;
}

const baseOf = (first: number): number => first - (first % OMITTED_MAX);

const indexesBetween = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
