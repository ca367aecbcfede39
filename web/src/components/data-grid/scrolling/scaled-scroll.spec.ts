/** Tests a scroller that is shorter than its rows together. */
import { describe, expect, it } from 'vitest';
import { SAFE_HEIGHT, ScaledScroll } from './scaled-scroll.ts';

const sizes = { count: 1_000_000, rowHeight: 32, headHeight: 32, clientHeight: 632 };
const visibleCount = Math.ceil(600 / 32);

function scroller(more: Partial<typeof sizes> = {}) {
  const scroll = new ScaledScroll();
  scroll.resize({ ...sizes, ...more });
  /** Sets the position of the scroller as a browser would, within the range of the scroller. */
  const put = (position: number, byPixels = false) => {
    const range = scroll.height - (more.clientHeight ?? sizes.clientHeight);
    return scroll.handleScroll(Math.max(0, Math.min(range, position)), byPixels);
  };
  return { scroll, put, settle: () => scroll.setPosition(scroll.position) };
}

describe('a list of a million rows', () => {
  it('is not taller than browsers can lay out', () => {
    const { scroll } = scroller();
    expect(scroll.height).toBe(SAFE_HEIGHT + sizes.headHeight);
    expect(scroller({ count: 10 }).scroll.height).toBe(10 * 32 + 32);
  });

  it('shows its first row at the start of the scroller and its last row at the end', () => {
    const { scroll, put } = scroller();
    expect([scroll.first, scroll.last]).toEqual([0, visibleCount - 1]);
    put(Number.POSITIVE_INFINITY);
    expect(scroll.last).toBe(999_999);
    expect(scroll.atEnd).toBe(true);
    put(0);
    expect(scroll.top).toBe(0);
  });

  it('scrolls in proportion to the scrollbar', () => {
    const { scroll, put } = scroller();
    put((scroll.height - sizes.clientHeight) / 2);
    expect(Math.abs(scroll.first - 500_000)).toBeLessThan(visibleCount);
  });

  it('scrolls by the pixels of a wheel, and corrects the scroller when it is at rest', () => {
    const { scroll, put, settle } = scroller();
    scroll.startWith(500_000);
    settle();
    const before = scroll.position;
    put(before + 2_000, true);
    expect(scroll.top).toBe(500_000 * 32 + 2_000);
    expect(scroll.position).toBeLessThan(before + 2_000);
    settle();
    expect(scroll.top).toBe(500_000 * 32 + 2_000);
  });

  it('needs no correction near its start', () => {
    const { scroll, put } = scroller();
    for (let at = 100; at <= 20_000; at += 100) put(at, true);
    expect(scroll.top).toBe(20_000);
    expect(scroll.position).toBe(20_000);
    expect(scroll.mustCorrectNow).toBe(false);
  });

  it('requires an immediate correction if the scroller reaches its start before the list does', () => {
    const { scroll, put, settle } = scroller();
    scroll.startWith(10_000);
    settle();
    put(400, true);
    expect(scroll.mustCorrectNow).toBe(true);
    settle();
    expect(scroll.mustCorrectNow).toBe(false);
  });

  it('can scroll to each row, which is then completely visible', () => {
    const { scroll, settle } = scroller();
    for (const index of [999_999, 0, 123_456, 123_455, 500_000, 3_125, 3_126, 999_998]) {
      scroll.reveal(index);
      settle();
      expect(index * 32).toBeGreaterThanOrEqual(scroll.top);
      expect((index + 1) * 32).toBeLessThanOrEqual(scroll.top + 600);
    }
  });

  it('keeps the first visible row when the row height changes', () => {
    const { scroll } = scroller();
    scroll.startWith(700_000);
    scroll.resize({ ...sizes, rowHeight: 28 });
    expect(scroll.first).toBe(700_000);
    // A list whose rows all fit is at its start.
    scroll.resize({ ...sizes, count: 10 });
    expect(scroll.top).toBe(0);
  });
});
