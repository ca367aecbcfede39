/** Which rows of a whole list are rendered, and where: places are reckoned, for no browser lays out a million rows. */
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
import { useStable } from '../stable-callback.ts';
import type { RowWindow } from './row-window.ts';
import { ScaledScroll } from './scaled-scroll.ts';

/**
 * Rows are rendered by whole steps, so that few scrolls render; none beyond: rows move no sooner than they are rendered, so
 * that nobody sees a gap, and a jump renders all of them anew.
 */
const STEP = 2;
/**
 * Rows keep their place in the page while others come and go above them, so that the browser draws none of them anew: what
 * is left out above them has its height, up to so many rows.
 */
const LEFT_OUT_MAX = 1_024;
/** Before anything is measured. */
const ASSUMED_HEIGHT = 640;
/** A scroller that moved no more for so long rests. */
const REST_MS = 150;

export interface LongWindowOptions {
  viewport: RefObject<HTMLElement | null>;
  /** What is moved in place of the scroller's content. */
  body: RefObject<HTMLElement | null>;
  enabled: boolean;
  count: number;
  rowHeight: number;
  headHeight: number;
  /** These rows are in sight. */
  onShow: (first: number, last: number) => void;
  /** The list rests with this row as the first, `atEnd` with its last one in sight. */
  onRest: (first: number, atEnd: boolean) => void;
}

export interface LongWindow {
  /** Height of the scrolled content, and of what is seen of it. */
  height: number;
  clientHeight: number;
  scrollTo: (index: number) => void;
  /** Begins the sight with this row. */
  startWith: (index: number) => void;
  /** For whoever renders the rows: a scroll renders nothing else. */
  rows: DrawnRows;
}

/** The rows to render of a whole list. Who renders them listens, so that a scroll renders nothing else of the page. */
export interface DrawnRows {
  subscribe: (listener: () => void) => () => void;
  range: () => Range;
  /** The page holds them by now. */
  onDrawn: (range: Range) => void;
}

interface Range {
  first: number;
  last: number;
}

const NO_ROWS: Range = { first: 0, last: -1 };
const noRows = () => NO_ROWS;
/** Where nothing changes there is nobody to tell. */
const never = () => () => undefined;

/** `drawn` is undefined where no whole list is shown. */
export function useDrawnRows(
  drawn: DrawnRows | undefined,
  count: number,
  rowHeight: number,
): Pick<RowWindow, 'indexes' | 'before' | 'after'> {
  const range = useSyncExternalStore(drawn?.subscribe ?? never, drawn?.range ?? noRows);
  useLayoutEffect(() => drawn?.onDrawn(range), [drawn, range]);
  return {
    indexes: span(range.first, Math.min(range.last, count - 1)),
    before: (range.first - baseOf(range.first)) * rowHeight,
    after: 0,
  };
}

export function useLongWindow(options: LongWindowOptions): LongWindow {
  const { viewport, body, enabled, count, rowHeight, headHeight } = options;
  const [scroll] = useState(() => new ScaledScroll());
  const [clientHeight, setClientHeight] = useState(0);
  const [told] = useState(() => ({ range: NO_ROWS, listeners: new Set<() => void>() }));
  const rendered = useRef(NO_ROWS);
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });

  /** Where rows stand follows from which are rendered and where the list stands. */
  const move = useCallback(() => {
    const element = body.current;
    if (element !== null)
      element.style.transform = `translateY(${baseOf(rendered.current.first) * latest.current.rowHeight - scroll.top}px)`;
  }, [body, scroll]);

  const show = useCallback(
    (atOnce: boolean) => {
      const from = Math.floor(scroll.first / STEP) * STEP;
      // Always as many, so that rows that come find as many that went.
      const seen = Math.ceil(scroll.bodyHeight / latest.current.rowHeight) + 1;
      const next = { first: from, last: from + Math.ceil((seen + STEP - 1) / STEP) * STEP - 1 };
      const { first, last } = rendered.current;
      const uncovered = scroll.first < first || scroll.last > last;
      const draw = () => {
        if (told.range.first === next.first && told.range.last === next.last) return;
        told.range = next;
        for (const listener of told.listeners) listener();
      };
      // What comes into sight is there with the very frame, not the one after.
      if (atOnce && uncovered) flushSync(draw);
      else draw();
      if (!uncovered) move();
      if (latest.current.count > 0) latest.current.onShow(scroll.first, scroll.last);
    },
    [scroll, told, move],
  );

  /** Puts the scroller where the list stands. */
  const place = useCallback(() => {
    const element = viewport.current;
    if (element === null || Math.abs(scroll.position - element.scrollTop) < 1) return;
    element.scrollTop = scroll.position;
    scroll.placed(element.scrollTop);
  }, [viewport, scroll]);

  /** A wheel or a finger moves the list, and has not come to rest. */
  const byPixels = useRef(false);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const restSoon = useCallback(() => {
    clearTimeout(resting.current);
    body.current?.setAttribute('data-moving', '');
    const rest = () => {
      // Its scroll event is still pending: placing the scroller now would undo the user's scroll.
      if (viewport.current !== null && scroll.hasMoved(viewport.current.scrollTop)) {
        resting.current = setTimeout(rest, REST_MS);
        return;
      }
      body.current?.removeAttribute('data-moving');
      byPixels.current = false;
      place();
      latest.current.onRest(scroll.first, scroll.atEnd);
    };
    resting.current = setTimeout(rest, REST_MS);
  }, [viewport, body, place, scroll]);
  useEffect(() => () => clearTimeout(resting.current), []);

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
  // Once the content has its height: before, the scroller could not go there.
  useLayoutEffect(() => {
    if (enabled) place();
  }, [enabled, height, clientHeight, rowHeight, place]);

  const onDrawn = useStable((range: Range) => {
    rendered.current = range;
    if (enabled) move();
  });
  const rows = useMemo<DrawnRows>(
    () => ({
      subscribe(listener) {
        told.listeners.add(listener);
        return () => told.listeners.delete(listener);
      },
      range: () => told.range,
      onDrawn,
    }),
    [told, onDrawn],
  );

  useLayoutEffect(() => {
    const element = viewport.current;
    if (!enabled || element === null) return;
    const onScroll = () => {
      if (!scroll.scrolled(element.scrollTop, byPixels.current)) return;
      if (scroll.cramped) place();
      show(true);
      restSoon();
    };
    const onWheel = () => {
      byPixels.current = true;
    };
    const onPointer = (event: PointerEvent) => {
      byPixels.current = event.pointerType === 'touch';
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: true });
    element.addEventListener('pointerdown', onPointer, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('pointerdown', onPointer);
    };
  }, [enabled, viewport, scroll, place, show, restSoon]);

  const goTo = useCallback(
    (go: () => void) => {
      const { count, rowHeight, headHeight } = latest.current;
      const client = viewport.current?.clientHeight ?? 0;
      scroll.resize({ count, rowHeight, headHeight, clientHeight: client === 0 ? ASSUMED_HEIGHT : client });
      go();
      place();
      show(false);
      restSoon();
    },
    [viewport, scroll, place, show, restSoon],
  );
  const scrollTo = useCallback((index: number) => goTo(() => scroll.reveal(index)), [goTo, scroll]);
  const startWith = useCallback((index: number) => goTo(() => scroll.startWith(index)), [goTo, scroll]);

  return {
    height,
    clientHeight,
    scrollTo,
    startWith,
    rows,
  };
}

function heightOf(count: number, rowHeight: number, headHeight: number): number {
  const scroll = new ScaledScroll();
  scroll.resize({ count, rowHeight, headHeight, clientHeight: 0 });
  return scroll.height;
}

const baseOf = (first: number): number => first - (first % LEFT_OUT_MAX);

const span = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
