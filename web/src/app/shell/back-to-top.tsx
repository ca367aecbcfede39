/** The button that scrolls to the top, shown once a page or its list is scrolled by more than 300 px (specification §2). */
import { BACK_TO_TOP_PX } from '@rdm/contracts/constants';
import { ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';

export function BackToTop() {
  const [scrolled, setScrolled] = useState<HTMLElement>();

  useEffect(() => {
    const listen = ({ target }: Event) => {
      if (!(target instanceof HTMLElement) || target.dataset['scrolls'] === undefined) return;
      setScrolled((known) => (target.scrollTop > BACK_TO_TOP_PX ? target : known === target ? undefined : known));
    };
    // Scroll events do not bubble; a capturing listener on the document receives those of the page and of every list.
    document.addEventListener('scroll', listen, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', listen, { capture: true });
  }, []);

  if (scrolled === undefined || !scrolled.isConnected) return null;
  return (
    <Button
      size="icon"
      className="fixed right-3 bottom-1 z-30 rounded-full bg-raised max-md:bottom-16"
      aria-label="Back to top"
      onClick={() => scrolled.scrollTo({ top: 0, behavior: 'smooth' })}
    >
      <ArrowUp />
    </Button>
  );
}
