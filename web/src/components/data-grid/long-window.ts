/** Which rows of a whole list are rendered, and where: places are reckoned, for no browser lays out a million rows. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { RowWindow } from './row-window.ts';
import { ScaledScroll } from './scaled-scroll.ts';

/**
 * Rows rendered above and below those in sight; they change by whole steps, so that few scrolls render. Few of them: rows
 * move no sooner than they are rendered, so that nobody sees a gap, and a jump renders all of them anew.
 */
const OVERSCAN = 2;
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

export interface LongWindow extends RowWindow {
  /** Height of the scrolled content, and of what is seen of it. */
  height: number;
  clientHeight: number;
  /** Begins the sight with this row. */
  startWith: (index: number) => void;
}

export function useLongWindow(options: LongWindowOptions): LongWindow {
  const { viewport, body, enabled, count, rowHeight, headHeight } = options;
  const [scroll] = useState(() => new ScaledScroll());
  const [clientHeight, setClientHeight] = useState(0);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const rendered = useRef(range);
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
      const next = {
        first: Math.max(0, Math.floor((scroll.first - OVERSCAN) / STEP) * STEP),
        last: Math.min(latest.current.count - 1, Math.ceil((scroll.last + OVERSCAN) / STEP) * STEP),
      };
      const { first, last } = rendered.current;
      const uncovered = scroll.first < first || scroll.last > last;
      const change = () => setRange((known) => (known.first === next.first && known.last === next.last ? known : next));
      // What comes into sight is there with the very frame, not the one after.
      if (atOnce && uncovered) flushSync(change);
      else change();
      if (!uncovered) move();
      if (latest.current.count > 0) latest.current.onShow(scroll.first, scroll.last);
    },
    [scroll, move],
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
    resting.current = setTimeout(() => {
      byPixels.current = false;
      place();
      latest.current.onRest(scroll.first, scroll.atEnd);
    }, REST_MS);
  }, [place, scroll]);
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

  useLayoutEffect(() => {
    rendered.current = range;
    if (enabled) move();
  }, [enabled, range, move]);

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
    indexes: enabled ? span(range.first, Math.min(range.last, count - 1)) : [],
    before: enabled ? (range.first - baseOf(range.first)) * rowHeight : 0,
    after: 0,
    height,
    clientHeight,
    scrollTo,
    startWith,
    measure: undefined,
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
