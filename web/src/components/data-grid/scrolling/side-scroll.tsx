/**
 * Arrows at the edges of content that is wider than the scroll area. The arrows appear on hover and scroll by 300 px
 * (specification §2). On a narrow screen, the arrows are always visible, at the height of the list header.
 */
import { HORIZONTAL_SCROLL_STEP_PX } from '@rdm/contracts/constants';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useState } from 'react';
import { cn } from '../../ui/cn.ts';

export function SideScroll({ viewport, children }: { viewport: RefObject<HTMLElement | null>; children: ReactNode }) {
  /** Whether content is hidden on the left and on the right. */
  const [more, setMore] = useState({ left: false, right: false });

  useEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    const measure = () => {
      const left = element.scrollLeft > 1;
      const right = element.scrollLeft + element.clientWidth < element.scrollWidth - 1;
      setMore((current) => (current.left === left && current.right === right ? current : { left, right }));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    // Runs before other scroll listeners change the page, so that reading the sizes causes no extra layout.
    element.addEventListener('scroll', measure, { passive: true, capture: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', measure, { capture: true });
    };
  }, [viewport]);

  const scroll = (by: number) => viewport.current?.scrollBy({ left: by, behavior: 'smooth' });
  return (
    <div data-more={more.right ? '' : undefined} className="group/side relative flex min-h-0 flex-[1_1_0px] flex-col">
      {children}
      {more.left && <Arrow side="left" onClick={() => scroll(-HORIZONTAL_SCROLL_STEP_PX)} />}
      {more.right && <Arrow side="right" onClick={() => scroll(HORIZONTAL_SCROLL_STEP_PX)} />}
    </div>
  );
}

/** Not a tab stop, because the left and right arrow keys scroll the list while a row has the focus. */
function Arrow({ side, onClick }: { side: 'left' | 'right'; onClick: () => void }) {
  const Icon = side === 'left' ? ChevronLeft : ChevronRight;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Scroll ${side}`}
      onClick={onClick}
      className={cn(
        'absolute top-1/2 z-[4] flex size-8 -translate-y-1/2 items-center justify-center rounded-full border border-control bg-raised opacity-0 transition-opacity group-hover/side:opacity-100',
        side === 'left' ? 'left-2 max-md:left-1' : 'right-2 max-md:right-1',
        'max-md:top-[18px] max-md:size-6 max-md:border-hairline max-md:opacity-100',
      )}
    >
      <Icon aria-hidden="true" className="size-4" />
    </button>
  );
}
