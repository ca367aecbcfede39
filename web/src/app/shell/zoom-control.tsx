/**
 * The zoom control at the bottom left. It hides after three seconds without use (specification §2 and §9). It covers no
 * content, because its place is in the sidebar or in the page footer.
 */
import { ZOOM_AUTO_HIDE_MS, ZOOM_DEFAULT, ZOOM_MAX, ZOOM_MIN, ZOOM_STEP } from '@rdm/contracts/constants';
import { Minus, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { cn } from '../../components/ui/cn.ts';
import { applyZoom, clampedZoom, storedZoom } from '../zoom.ts';

/** The pointer shows the control within this distance from the bottom left corner, in pixels. */
const CORNER = { width: 220, height: 96 };

const PLACES = {
  sidebar: 'fixed bottom-3 left-3',
  'narrow sidebar': 'fixed bottom-3 left-2 flex-col-reverse',
  footer: 'absolute bottom-3 left-3',
} as const;

export function ZoomControl({ place }: { place: keyof typeof PLACES }) {
  const [zoom, setZoom] = useState(storedZoom);
  /** Each change of this value restarts the timer that hides the control. */
  const [lastUse, setLastUse] = useState(0);
  const [isVisible, setVisible] = useState(true);

  useEffect(() => {
    setVisible(true);
    const timer = setTimeout(() => setVisible(false), ZOOM_AUTO_HIDE_MS);
    return () => clearTimeout(timer);
  }, [lastUse]);

  useEffect(() => {
    const showNearCorner = (event: PointerEvent) => {
      if (event.clientX < CORNER.width && event.clientY > window.innerHeight - CORNER.height)
        setLastUse(event.timeStamp);
    };
    window.addEventListener('pointermove', showNearCorner, { passive: true });
    window.addEventListener('pointerdown', showNearCorner, { passive: true });
    return () => {
      window.removeEventListener('pointermove', showNearCorner);
      window.removeEventListener('pointerdown', showNearCorner);
    };
  }, []);

  function change(to: number) {
    const next = clampedZoom(to);
    applyZoom(next);
    setZoom(next);
    setLastUse(lastUse + 1);
  }

  return (
    <section
      aria-label="Zoom"
      className={cn(
        'z-30 flex items-center rounded-md border border-control bg-raised focus-within:pointer-events-auto focus-within:opacity-100',
        PLACES[place],
        !isVisible && 'pointer-events-none opacity-0',
      )}
      onFocus={() => setLastUse(lastUse + 1)}
    >
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label="Zoom out"
        disabled={zoom <= ZOOM_MIN}
        onClick={() => change(zoom - ZOOM_STEP)}
      >
        <Minus />
      </Button>
      <Button
        variant="ghost"
        size="sm"
        className="w-12"
        aria-label={`Zoom ${Math.round(zoom * 100)}%, reset`}
        onClick={() => change(ZOOM_DEFAULT)}
      >
        {Math.round(zoom * 100)}%
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label="Zoom in"
        disabled={zoom >= ZOOM_MAX}
        onClick={() => change(zoom + ZOOM_STEP)}
      >
        <Plus />
      </Button>
    </section>
  );
}
