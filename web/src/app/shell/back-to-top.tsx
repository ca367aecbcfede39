/** The button that scrolls to the top, shown if a page or list is scrolled by more than 300 px (specification §2). */
import { BACK_TO_TOP_PX } from '@rdm/contracts/constants';
import { ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { cn } from '../../components/ui/cn.ts';

export function BackToTop() {
  const [scrolled, setScrolled] = useState<HTMLElement>();
  const isOverFooter = useIsFooterVisible(scrolled !== undefined);

  useEffect(() => {
    const listen = ({ target }: Event) => {
      if (!(target instanceof HTMLElement) || target.dataset['scrolls'] === undefined) return;
      setScrolled((current) => (target.scrollTop > BACK_TO_TOP_PX ? target : current === target ? undefined : current));
    };
    // A capturing listener on the document, because the scroll events of the page and of its lists do not bubble.
    document.addEventListener('scroll', listen, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', listen, { capture: true });
  }, []);

  if (scrolled === undefined || !scrolled.isConnected) return null;
  return (
    <Button
      size="icon"
      // On a phone, the footer leaves this corner free. Without the footer, bars with buttons may be in this corner.
      className={cn(
        'fixed right-3 bottom-1 z-30 rounded-full bg-raised',
        isOverFooter ? 'max-md:bottom-3' : 'max-md:bottom-16',
      )}
      aria-label="Back to top"
      onClick={() => scrolled.scrollTo({ top: 0, behavior: 'smooth' })}
    >
      <ArrowUp />
    </Button>
  );
}

/** Returns whether the footer of the page is visible. Observes the footer only while `isNeeded` is true. */
function useIsFooterVisible(isNeeded: boolean): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    const footer = document.querySelector('footer');
    if (!isNeeded || footer === null) return;
    // The threshold is less than 1, because a zoomed page can cut a fraction of a pixel.
    const observer = new IntersectionObserver(([entry]) => setVisible(entry?.isIntersecting === true), {
      threshold: 0.9,
    });
    observer.observe(footer);
    return () => observer.disconnect();
  }, [isNeeded]);
  return isVisible;
}
